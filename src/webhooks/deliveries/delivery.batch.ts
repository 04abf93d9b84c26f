import type { Lease } from "#kernel/work/lease.ts";

/** Deliveries that were claimed together, under one lease. Each of them ends on its own. */
export class DeliveryBatch {
  readonly lease: Lease;
  readonly #ended = Promise.withResolvers<void>();
  #left: number;

  constructor(lease: Lease, count: number) {
    this.lease = lease;
    this.#left = count;
    if (count === 0) this.#ended.resolve();
  }

  /** Resolves when the last delivery has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /**
   * Notes that one delivery was sent or given back, so the lease is not renewed for it any more.
   */
  noteEnd(): void {
    this.#left -= 1;
    if (this.#left === 0) this.#ended.resolve();
  }
}
