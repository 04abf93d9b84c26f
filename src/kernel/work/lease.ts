import { randomUUID } from "node:crypto";
import type { SteadyClock } from "../clock.ts";

/**
 * `lost`: the lease was not renewed in time, and others may have claimed the work. `stopped`: the
 * loop stops.
 */
export type LeaseEnd = "lost" | "stopped";

/**
 * The right to work on one batch for some time. Its token is written into the claimed rows, and
 * every statement that records a result names the token. A row that another process has claimed
 * since then has another token, so a process that slept too long (a zombie) changes nothing.
 *
 * The process also measures the time itself, from before the claim was sent. So it knows that its
 * lease has ended before any other process can claim the same rows, and gives up by itself.
 */
export class Lease {
  /** Infinite if the worker's claims are not limited by time (see `Worker.leaseSeconds`). */
  readonly seconds: number;
  readonly #clock: SteadyClock;
  #heldFrom: number;
  #end: LeaseEnd | undefined;
  // Both are created at their first use, because most turns find nothing to claim.
  #token: string | undefined;
  #abort: AbortController | undefined;

  constructor(seconds: number, clock: SteadyClock) {
    this.seconds = seconds;
    this.#clock = clock;
    this.#heldFrom = clock.now();
  }

  /** A UUID that no other claim has. */
  get token(): string {
    this.#token ??= randomUUID();
    return this.#token;
  }

  /** Aborted when the work must end: the lease was lost, or the loop stops. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#end !== undefined) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  /** Why the work must end; undefined while it may go on. */
  get end(): LeaseEnd | undefined {
    const isExpired = this.#clock.now() >= this.#heldFrom + this.seconds * 1_000;
    return this.#end ?? (isExpired ? "lost" : undefined);
  }

  /** True when nothing may be recorded any more. */
  get isOver(): boolean {
    return this.end !== undefined;
  }

  /** The time from which the lease counts: that of the claim or of the last renewal. */
  get heldFrom(): number {
    return this.#heldFrom;
  }

  /**
   * Starts the lease again, just before a claim is sent that had to wait for a connection.
   * Otherwise the lease would end too early, maybe even before the claim is answered.
   */
  begin(): void {
    this.#heldFrom = this.#clock.now();
  }

  /** Extends the lease by its full length, counted from just before the renewal was sent. */
  renewedAt(sentAt: number): void {
    if (!this.isOver) this.#heldFrom = sentAt;
  }

  /** For `WorkLoop` only. */
  endAs(end: LeaseEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#abort?.abort();
  }
}
