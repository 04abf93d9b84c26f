import type { TenantContext } from "#kernel/context.ts";
import { checkYaml, readYaml } from "#src/files/public.ts";
import { passTypesOf } from "#src/passes/public.ts";
import { type Configuration, configurationOf } from "#src/tenants/public.ts";
import { IMPORT_FILE, ImportMapping } from "../import.schema.ts";
import type { MappingGround } from "./row-wish.ts";

/** What rows mean for this call: by the mapping and the templates in force. */
export async function mappingGroundOf(context: TenantContext): Promise<MappingGround> {
  const configuration = await configurationOf(context);
  const mapping = await configuration.derive("import mapping", () => readMapping(configuration));
  return { mapping, types: await passTypesOf(context) };
}

async function readMapping(configuration: Configuration): Promise<ImportMapping> {
  const bytes = await configuration.read(IMPORT_FILE);
  const file = bytes === undefined ? undefined : readYaml(IMPORT_FILE, bytes).file;
  // A file that does not fit is refused before it is published.
  if (file === undefined || checkYaml(IMPORT_FILE, file, ImportMapping).length > 0) return {};
  return file.value as ImportMapping;
}
