const BATCH_MAX = 200;
const STEP = 20;
/** After so many timeouts of one pass alone, its changes are given up. */
const TRIES_ALONE_MAX = 5;

/**
 * How many passes of a tenant are changed at once: half as many after a timeout of the database,
 * down to one, and a few more after each success. Retrying a batch of the same size might never
 * succeed.
 */
export class Pace {
  readonly #sizes = new Map<string, number>();
  readonly #alone = new Map<string, { readonly passId: string; readonly tries: number }>();

  sizeOf(tenantId: string): number {
    return this.#sizes.get(tenantId) ?? BATCH_MAX;
  }

  /** `tried` is the number of passes in the batch that timed out. */
  slower(tenantId: string, tried: number): void {
    const size = Math.min(this.sizeOf(tenantId), Math.max(tried, 1));
    this.#sizes.set(tenantId, Math.max(1, Math.floor(size / 2)));
  }

  /** Notes that a pass timed out alone; true if another try is useless. */
  isHopeless(tenantId: string, passId: string): boolean {
    const last = this.#alone.get(tenantId);
    const tries = last?.passId === passId ? last.tries + 1 : 1;
    if (tries < TRIES_ALONE_MAX) this.#alone.set(tenantId, { passId, tries });
    else this.#alone.delete(tenantId);
    return tries >= TRIES_ALONE_MAX;
  }

  faster(tenantId: string): void {
    this.#alone.delete(tenantId);
    const size = this.sizeOf(tenantId) + STEP;
    if (size >= BATCH_MAX) this.#sizes.delete(tenantId);
    else this.#sizes.set(tenantId, size);
  }
}
