import type { KeyUse } from "#src/api-keys/public.ts";

/** A limit for memory only: a node sees far fewer keys in the ten seconds between two writes. */
const KEYS_MAX = 100_000;

type Use = { readonly tenantId: string; readonly keyId: string; atMs: number };

/**
 * Collects in memory when each key was last used, and writes all of it from time to time. Updating
 * a row in every request would cost more than the request.
 */
export class LastUsed {
  #uses = new Map<string, Use>();
  #writing: Promise<void> = Promise.resolve();
  readonly #write: (uses: readonly KeyUse[]) => Promise<void>;

  constructor(write: (uses: readonly KeyUse[]) => Promise<void>) {
    this.#write = write;
  }

  note(tenantId: string, keyId: string, atMs: number): void {
    const use = this.#uses.get(keyId);
    if (use !== undefined) use.atMs = Math.max(use.atMs, atMs);
    else if (this.#uses.size < KEYS_MAX) this.#uses.set(keyId, { tenantId, keyId, atMs });
  }

  /** Writes run one after the other. Uses that could not be written are kept for the next write. */
  flush(): Promise<void> {
    const run = this.#writing.then(() => this.#writeOut());
    this.#writing = run.catch(() => undefined);
    return run;
  }

  async #writeOut(): Promise<void> {
    const uses = this.#uses;
    if (uses.size === 0) return;
    this.#uses = new Map();
    try {
      await this.#write(
        [...uses.values()].map(({ tenantId, keyId, atMs }) => ({
          tenantId,
          keyId,
          at: new Date(atMs),
        })),
      );
    } catch (error) {
      for (const { tenantId, keyId, atMs } of uses.values()) this.note(tenantId, keyId, atMs);
      throw error;
    }
  }
}
