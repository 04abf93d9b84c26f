const BATCH_MAX = 200;
const STEP = 20;

/**
 * How many passes of a tenant are changed at once: half as many after the database could not do it in
 * time, down to one, and a few more after each time that it could. The same batch again and again
 * might never be done.
 */
export class Pace {
  readonly #sizes = new Map<string, number>();

  sizeOf(tenantId: string): number {
    return this.#sizes.get(tenantId) ?? BATCH_MAX;
  }

  /** With how many it tried. */
  slower(tenantId: string, tried: number): void {
    const size = Math.min(this.sizeOf(tenantId), Math.max(tried, 1));
    this.#sizes.set(tenantId, Math.max(1, Math.floor(size / 2)));
  }

  faster(tenantId: string): void {
    const size = this.sizeOf(tenantId) + STEP;
    if (size >= BATCH_MAX) this.#sizes.delete(tenantId);
    else this.#sizes.set(tenantId, size);
  }
}
