import { defineError } from "./errors.ts";
import { FairLine } from "./fair-line.ts";

export const tooBusy = defineError({
  code: "service.busy",
  status: 503,
  title: "Too busy for this at the moment",
  detail: () => "There is too much work of this kind at the moment. Try again shortly.",
  headers: () => ({ "retry-after": "5" }),
});

type Options = {
  /** For all groups together. */
  readonly atOnceMax: number;
  readonly waitingPerGroupMax: number;
  /** For all groups together; without it only the limit per group applies. */
  readonly waitingMax?: number;
  /** Work that has waited for so long is refused. */
  readonly waitMsMax?: number;
};

type Waiter = { begin(): void };

/**
 * Runs heavy work in a few places at a time, at most one per group, and groups take turns: a group
 * with much work delays only itself.
 */
export class FairGate {
  readonly #options: Options;
  readonly #line = new FairLine<Waiter>();
  readonly #running = new Set<string>();

  constructor(options: Options) {
    this.#options = options;
  }

  async run<Result>(group: string, work: () => Promise<Result>): Promise<Result> {
    await this.#enter(group);
    try {
      return await work();
    } finally {
      this.#leave(group);
    }
  }

  async #enter(group: string): Promise<void> {
    const { atOnceMax, waitingPerGroupMax, waitingMax = Number.POSITIVE_INFINITY } = this.#options;
    if (!this.#running.has(group) && this.#running.size < atOnceMax) {
      this.#running.add(group);
      return;
    }
    if (this.#line.sizeOf(group) >= waitingPerGroupMax)
      throw tooBusy().because("the line of the group is full");
    if (this.#line.size >= waitingMax) throw tooBusy().because("the line of all groups is full");
    await this.#wait(group);
  }

  #wait(group: string): Promise<void> {
    const { waitMsMax } = this.#options;
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const waiter: Waiter = {
        begin() {
          clearTimeout(timer);
          resolve();
        },
      };
      this.#line.push(group, waiter);
      if (waitMsMax === undefined) return;
      timer = setTimeout(() => {
        this.#line.removeWhere((other) => other === waiter);
        reject(tooBusy().because("waited too long in line"));
      }, waitMsMax);
    });
  }

  #leave(group: string): void {
    this.#running.delete(group);
    this.#line.toEnd(group);
    while (this.#running.size < this.#options.atOnceMax) {
      const next = this.#line.shift((other) => !this.#running.has(other));
      if (next === undefined) return;
      this.#running.add(next.group);
      next.item.begin();
    }
  }
}
