import { checkYaml, readYaml } from "#src/tenants/public.ts";
import { type Store, Stores } from "./store.schema.ts";
import { STORES_PATH } from "./template.set.ts";

/** The stores of a published file; none where there is no file, or none that fits. */
export function readStores(content: Buffer | null): readonly Store[] {
  if (content === null) return [];
  const { file } = readYaml(STORES_PATH, content);
  if (file === undefined || checkYaml(STORES_PATH, file, Stores).length > 0) return [];
  return (file.value as { stores: Store[] }).stores;
}
