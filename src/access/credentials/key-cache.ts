import type { Actor } from "#kernel/actor.ts";
import type { ActiveKey } from "#src/api-keys/public.ts";

/** Below a second, so that a revocation holds everywhere in time even when its signal was lost. */
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
  /** Monotonic milliseconds: a stepping wall clock must not prolong anything. */
  now(): number;
};

/**
 * Keys that authenticated a moment ago, by the hash of their token. Unknown keys are never
 * remembered: a key works from the moment it exists.
 *
 * Age is counted from the start of a lookup, not from its end, for it is the start that bounds how
 * old the answer can be.
 */
export class KeyCache {
  readonly #options: KeyCacheOptions;
  readonly #known = new Map<string, KnownKey>();
  readonly #running = new Map<string, Lookup>();
  /** Counts what was forgotten, so that a lookup begun before is not remembered after. */
  #generation = 0;

  constructor(options: KeyCacheOptions) {
    this.#options = options;
  }

  fresh(hashText: string): KnownKey | undefined {
    const known = this.#known.get(hashText);
    return known !== undefined && known.freshUntil > this.#options.now() ? known : undefined;
  }

  /** Requests that ask for one key at the same moment share one query. `find` looks it up in another way. */
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
    const known: KnownKey = {
      tenantId: found.tenantId,
      keyId: found.id,
      actor: actorOf(found),
      freshUntil: startedAt + ageMs,
    };
    if (generation === this.#generation) this.#remember(hashText, known);
    return known;
  }

  #remember(hashText: string, known: KnownKey): void {
    // Set anew, so that the first of the map is the one that was looked up longest ago.
    this.#known.delete(hashText);
    const oldest = this.#known.size < ENTRIES_MAX ? undefined : this.#known.keys().next().value;
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(hashText, known);
  }

  /** Lookups under way may have read what is now past: nobody joins them any more. */
  #beginGeneration(): void {
    this.#generation += 1;
    this.#running.clear();
  }
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
  };
}
