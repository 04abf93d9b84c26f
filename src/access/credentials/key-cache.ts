import type { Actor } from "#kernel/actor.ts";
import type { ActiveKey } from "#src/api-keys/public.ts";

/** Less than a second, so that a revoked key stops in time even if the signal was lost. */
const AGE_MS_MAX = 900;
const ENTRIES_MAX = 10_000;

export type KnownKey = {
  readonly tenantId: string;
  readonly keyId: string;
  readonly actor: Actor;
  readonly freshUntil: number;
};

type Lookup = { readonly startedAt: number; readonly result: Promise<KnownKey | undefined> };

type Find = (hashText: string, hash: Buffer) => Promise<ActiveKey | undefined>;

export type KeyCacheOptions = {
  readonly find: Find;
  /** Monotonic milliseconds, so that a change of the wall clock prolongs no entry. */
  now(): number;
};

/**
 * Valid keys that were looked up less than a second ago, by the hash of their token. Unknown keys
 * are not cached, so that a new key works at once.
 *
 * The age of an entry is counted from the start of its lookup: the query may have read the key at
 * any time after that.
 */
export class KeyCache {
  readonly #options: KeyCacheOptions;
  readonly #known = new Map<string, KnownKey>();
  readonly #running = new Map<string, Lookup>();
  /** Rises when keys are forgotten: lookups of an earlier generation are not cached. */
  #generation = 0;

  constructor(options: KeyCacheOptions) {
    this.#options = options;
  }

  fresh(hashText: string): KnownKey | undefined {
    const known = this.#known.get(hashText);
    return known !== undefined && known.freshUntil > this.#options.now() ? known : undefined;
  }

  /** Concurrent requests for the same key share one lookup. `find` replaces the usual one. */
  load(hashText: string, hash: Buffer, find?: Find): Promise<KnownKey | undefined> {
    const startedAt = this.#options.now();
    const running = this.#running.get(hashText);
    if (running !== undefined && startedAt - running.startedAt < AGE_MS_MAX) return running.result;

    const lookup: Lookup = {
      startedAt,
      result: this.#lookUp(find ?? this.#options.find, hashText, hash, startedAt).finally(() => {
        if (this.#running.get(hashText) === lookup) this.#running.delete(hashText);
      }),
    };
    this.#running.set(hashText, lookup);
    return lookup.result;
  }

  forgetTenant(tenantId: string): void {
    this.#beginGeneration();
    for (const [hashText, known] of this.#known) {
      if (known.tenantId === tenantId) this.#known.delete(hashText);
    }
  }

  forgetAll(): void {
    this.#beginGeneration();
    this.#known.clear();
  }

  async #lookUp(
    find: Find,
    hashText: string,
    hash: Buffer,
    startedAt: number,
  ): Promise<KnownKey | undefined> {
    const generation = this.#generation;
    const found = await find(hashText, hash);
    if (found === undefined) {
      this.#known.delete(hashText);
      return undefined;
    }
    const ageMs = Math.min(AGE_MS_MAX, found.expiresInMs ?? AGE_MS_MAX);
    const known = knownKey(found, startedAt + ageMs);
    if (generation === this.#generation) this.#remember(hashText, known);
    return known;
  }

  #remember(hashText: string, known: KnownKey): void {
    // The entry is deleted and set again, so that the first entry of the map is the oldest lookup.
    this.#known.delete(hashText);
    const oldest = this.#known.size < ENTRIES_MAX ? undefined : this.#known.keys().next().value;
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(hashText, known);
  }

  /** Lookups under way may have read old rows, so later requests must not share them. */
  #beginGeneration(): void {
    this.#generation += 1;
    this.#running.clear();
  }
}

export function knownKey(found: ActiveKey, freshUntil: number): KnownKey {
  return { tenantId: found.tenantId, keyId: found.id, actor: actorOf(found), freshUntil };
}

const NAMED_AS_THEY_ARE: Actor["scopeNames"] = new Map();

function actorOf(key: ActiveKey): Actor {
  return {
    kind: key.kind,
    id: key.name,
    scopes: new Set(key.scopes),
    reach: new Set([key.tenantId]),
    scopeNames: NAMED_AS_THEY_ARE,
    credentialId: key.id,
    ...(key.tenantSince !== null && { tenantSince: key.tenantSince }),
  };
}
