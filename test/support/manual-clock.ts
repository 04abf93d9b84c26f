import { setImmediate as nextTurn } from "node:timers/promises";
import type { SteadyClock } from "#kernel/clock.ts";

/** Enough turns of the event loop for whatever a call set going, as long as no outside system is asked. */
const TURNS = 20;

type Planned = { readonly at: number; readonly call: () => void };

/** Goes on when a test says so. */
export class ManualClock implements SteadyClock {
  readonly #planned = new Set<Planned>();
  #now = 0;

  now(): number {
    return this.#now;
  }

  after(delayMs: number, call: () => void): () => void {
    const planned = { at: this.#now + delayMs, call };
    this.#planned.add(planned);
    return () => this.#planned.delete(planned);
  }

  /** Resolves when all that goes on without time has come to rest. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
  }

  /** Calls what is planned until then, each at its own time, and lets its consequences settle. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await this.settle();
    for (let next = this.#first(until); next !== undefined; next = this.#first(until)) {
      this.#planned.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.call();
      await this.settle();
    }
    this.#now = until;
  }

  /** As if the process had been asleep: time goes on at once, and what was planned comes late. */
  async sleep(ms: number): Promise<void> {
    this.#now += ms;
    await this.advance(0);
  }

  #first(until: number): Planned | undefined {
    const due = [...this.#planned].filter(({ at }) => at <= until);
    return due.sort((left, right) => left.at - right.at)[0];
  }
}
