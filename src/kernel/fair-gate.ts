import { defineError } from "./errors.ts";

export const tooBusy = defineError({
  code: "service.busy",
  status: 503,
  title: "Too busy for this at the moment",
  detail: () => "Others of the same tenant are waiting for the same. Try again shortly.",
  headers: () => ({ "retry-after": "5" }),
});

type Options = {
  /** Of all groups together. */
  readonly atOnceMax: number;
  readonly waitingPerGroupMax: number;
};

type Group = { running: boolean; readonly waiting: (() => void)[] };

/**
 * Lets heavy work in a few pieces at a time, one of each group, and the groups in turn: whoever asks
 * for much waits behind its own, never in front of others.
 */
export class FairGate {
  readonly #options: Options;
  /** In the order of their turns. */
  readonly #groups = new Map<string, Group>();
  #running = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    await this.#enter(name);
    try {
      return await work();
    } finally {
      this.#leave(name);
    }
  }

  async #enter(name: string): Promise<void> {
    const group = this.#groups.get(name) ?? { running: false, waiting: [] };
    this.#groups.set(name, group);
    if (!group.running && this.#running < this.#options.atOnceMax) {
      this.#start(group);
      return;
    }
    if (group.waiting.length >= this.#options.waitingPerGroupMax) throw tooBusy();
    await new Promise<void>((resolve) => group.waiting.push(resolve));
  }

  #start(group: Group): void {
    group.running = true;
    this.#running += 1;
  }

  #leave(name: string): void {
    const group = this.#groups.get(name);
    if (group === undefined) return;
    group.running = false;
    this.#running -= 1;
    // To the end of the line, or out of it.
    this.#groups.delete(name);
    if (group.waiting.length > 0) this.#groups.set(name, group);
    for (const next of this.#groups.values()) {
      if (this.#running >= this.#options.atOnceMax) return;
      if (next.running) continue;
      const begin = next.waiting.shift();
      if (begin === undefined) continue;
      this.#start(next);
      begin();
    }
  }
}
