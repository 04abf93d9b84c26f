import type { ActiveKey } from "#src/api-keys/public.ts";

const KEYS_PER_QUERY_MAX = 1_000;

/** Returns the valid keys, by the hash of their token in latin1. */
export type FindKeys = (hashes: readonly Buffer[]) => Promise<ReadonlyMap<string, ActiveKey>>;

type Waiting = {
  readonly hash: Buffer;
  readonly hashText: string;
  resolve(found: ActiveKey | undefined): void;
  reject(error: unknown): void;
};

/**
 * Looks up keys for addresses that sent too many wrong keys. There is one query at a time, for all
 * keys that arrived during the query before. So any number of guesses uses one database connection,
 * and a valid key from the same address is found a few milliseconds later than usual.
 */
export class KeyQueue {
  readonly #find: FindKeys;
  #waiting: Waiting[] = [];
  #isRunning = false;

  constructor(find: FindKeys) {
    this.#find = find;
  }

  find(hashText: string, hash: Buffer): Promise<ActiveKey | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<ActiveKey | undefined>();
    this.#waiting.push({ hash, hashText, resolve, reject });
    if (!this.#isRunning) void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, KEYS_PER_QUERY_MAX);
      try {
        const found = await this.#find(batch.map(({ hash }) => hash));
        for (const { hashText, resolve } of batch) resolve(found.get(hashText));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isRunning = false;
  }
}
