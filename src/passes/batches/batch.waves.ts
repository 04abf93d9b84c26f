import { isChange, type PassWish, present } from "./batch.wish.ts";

/** The names that are unique among the passes of a type; of all types if it is undefined. */
export type UniqueNames = (passType: string | undefined) => readonly string[];

type Keys = {
  /** What decides which pass is meant, and whether it may have its identifiers. */
  readonly finds: readonly string[];
  /** Whether a pass is meant that has all of these; else one that has any of them. */
  readonly findsByAll: boolean;
  /** What other wishes may find afterwards, or no longer find. */
  readonly writes: readonly string[];
};

/**
 * How many of these wishes can be fulfilled together, from the first on. The next one must wait,
 * because one before it may change which pass it means: so the result is the same as if every wish
 * was fulfilled by itself. Erasures free identifiers that no wish names, so they stay among
 * themselves.
 */
export function sizeOfWave(wishes: readonly PassWish[], uniqueNames: UniqueNames): number {
  const written = new Set<string>();
  const erases = wishes[0]?.action === "delete";
  for (const [size, wish] of wishes.entries()) {
    const { finds, findsByAll, writes } = keysOf(wish, uniqueNames);
    const isWritten = (key: string) => written.has(key);
    const mustWait =
      findsByAll && finds.length > 0 ? finds.every(isWritten) : finds.some(isWritten);
    if ((wish.action === "delete") !== erases || mustWait) return size;
    for (const key of writes) written.add(key);
  }
  return wishes.length;
}

function keysOf(wish: PassWish, uniqueNames: UniqueNames): Keys {
  const { passId, passType } = wish;
  const identifiers = Object.entries(present(wish.identifiers));
  const keyOf = ([name, value]: readonly [string, string]) => `${name}=${value}`;
  const all = identifiers.map(keyOf);
  const unique = uniqueNames(passType);
  const own = identifiers.filter(([name]) => unique.includes(name)).map(keyOf);
  if (passId !== undefined) {
    const key = `passId=${passId}`;
    // Of two that claim the same unique identifier, the first one gets it.
    return isChange(wish)
      ? { finds: [key, ...own], findsByAll: false, writes: [key, ...all] }
      : { finds: [key], findsByAll: false, writes: [key] };
  }
  if (own.length > 0) return { finds: own, findsByAll: false, writes: all };
  // Without a unique identifier, a pass is meant that has all the others; only a new one gets them.
  return wish.action === "upsert"
    ? { finds: all, findsByAll: true, writes: all }
    : { finds: all, findsByAll: false, writes: [] };
}

/** Whether an identifier of the wish is unique among the passes of its type. */
export function hasUnique({ passType, identifiers }: PassWish, uniqueNames: UniqueNames): boolean {
  const unique = uniqueNames(passType);
  return Object.keys(present(identifiers)).some((name) => unique.includes(name));
}
