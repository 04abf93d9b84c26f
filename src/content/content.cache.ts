import { RecentMap } from "#kernel/recent-map.ts";

/** The versions that a rendering was made from. A rendering is valid for exactly these versions. */
export type ContentVersion = {
  readonly pass: number;
  readonly configuration: number;
  /**
   * A hash of the privileges that the pass shows, because privileges change without a new version
   * of the pass. Hashes have no order, so they cannot tell which rendering is older.
   */
  readonly privileges: string;
};

type Slot<Content> = {
  readonly version: ContentVersion;
  readonly content: Content;
  readonly sizeBytes: number;
};

const STRING_CHARACTER_BYTES = 2;
const MEMBER_BYTES = 32;
/** Far more passes than are erased while one rendering is made. */
const ERASED_KEPT_MAX = 20_000;

/**
 * Keeps recent renderings, within a limit of memory. There is one rendering for each pass: a
 * rendering of another version is not returned, and is replaced when the new one is stored.
 */
export class ContentCache<Content> {
  readonly #sizeBytesMax: number;
  /** In the order of use, the least recently used first. */
  readonly #slots = new Map<string, Slot<Content>>();
  /** The keys of passes that were erased lately. No pass gets the key of an erased pass again. */
  readonly #erased = new RecentMap<true>(ERASED_KEPT_MAX);
  #sizeBytes = 0;
  #clearings = 0;

  constructor(sizeBytesMax: number) {
    this.#sizeBytesMax = sizeBytesMax;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get count(): number {
    return this.#slots.size;
  }

  /** How often the cache was cleared. What was read before a clearing must not be stored after it. */
  get clearings(): number {
    return this.#clearings;
  }

  get(key: string, version: ContentVersion): Content | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined || !isSame(slot.version, version)) return undefined;
    this.#slots.delete(key);
    this.#slots.set(key, slot);
    return slot.content;
  }

  /** A slow caller that rendered an older version does not replace a newer rendering. */
  set(key: string, version: ContentVersion, content: Content): void {
    if (this.#erased.get(key)) return;
    const known = this.#slots.get(key);
    if (known !== undefined && isOlder(version, known.version)) return;
    this.delete(key);
    const sizeBytes = sizeOf(content) + key.length * STRING_CHARACTER_BYTES;
    if (sizeBytes > this.#sizeBytesMax / 8) return;
    this.#slots.set(key, { version, content, sizeBytes });
    this.#sizeBytes += sizeBytes;
    for (const oldest of this.#slots.keys()) {
      if (this.#sizeBytes <= this.#sizeBytesMax) return;
      this.delete(oldest);
    }
  }

  /** Deletes the rendering of an erased pass, also one that is still being made. */
  erase(key: string): void {
    this.#erased.set(key, true);
    this.delete(key);
  }

  delete(key: string): void {
    this.#sizeBytes -= this.#slots.get(key)?.sizeBytes ?? 0;
    this.#slots.delete(key);
  }

  clear(): void {
    this.#slots.clear();
    this.#sizeBytes = 0;
    this.#clearings += 1;
  }
}

function isSame(left: ContentVersion, right: ContentVersion): boolean {
  return (
    left.pass === right.pass &&
    left.configuration === right.configuration &&
    left.privileges === right.privileges
  );
}

function isOlder(left: ContentVersion, right: ContentVersion): boolean {
  return left.pass < right.pass || left.configuration < right.configuration;
}

/** Estimates the memory that a plain value takes. The estimate is rather too high than too low. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return MEMBER_BYTES + value.length * STRING_CHARACTER_BYTES;
  if (typeof value !== "object" || value === null) return MEMBER_BYTES;
  let size = MEMBER_BYTES;
  for (const [name, member] of value instanceof Map ? value : Object.entries(value)) {
    size += MEMBER_BYTES + String(name).length * STRING_CHARACTER_BYTES + sizeOf(member);
  }
  return size;
}
