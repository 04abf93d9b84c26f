import { contentHash } from "#kernel/crypto/content-hash.ts";
import { RecentMap } from "#kernel/recent-map.ts";
import { checkYaml, readYaml } from "#src/tenants/public.ts";
import { type Store, Stores } from "./store.schema.ts";
import { STORES_PATH } from "./template.set.ts";

const KEPT_MAX = 50;
const kept = new RecentMap<readonly Store[]>(KEPT_MAX);

/** Found when the file was checked: the transaction that publishes it need not read it again. */
export async function keepStores(content: Buffer, stores: readonly Store[]): Promise<void> {
  kept.set((await contentHash(content)).toString("base64"), stores);
}

/** The stores of a file that was checked a moment ago, or read now. */
export async function knownStores(content: Buffer | null): Promise<readonly Store[]> {
  if (content === null) return [];
  return kept.get((await contentHash(content)).toString("base64")) ?? readStores(content);
}

/** None where none fit. */
export function readStores(content: Buffer): readonly Store[] {
  const { file } = readYaml(STORES_PATH, content);
  if (file === undefined || checkYaml(STORES_PATH, file, Stores).length > 0) return [];
  return (file.value as { stores: Store[] }).stores;
}
