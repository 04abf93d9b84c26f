import { contentHash } from "#kernel/crypto/content-hash.ts";
import { RecentMap } from "#kernel/recent-map.ts";
import type { Store } from "./schema/store.ts";
import { readStoresFile } from "./template.set.ts";

const KEPT_MAX = 50;
const kept = new RecentMap<readonly Store[]>(KEPT_MAX);

/**
 * Keeps the stores that a check has read, so that the transaction that publishes the file need not
 * read it again.
 */
export async function keepStores(content: Buffer, stores: readonly Store[]): Promise<void> {
  kept.set((await contentHash(content)).toString("base64"), stores);
}

/** The stores of a file: from a recent check, or read now. */
export async function knownStores(content: Buffer | null): Promise<readonly Store[]> {
  if (content === null) return [];
  return kept.get((await contentHash(content)).toString("base64")) ?? readStoresFile(content);
}
