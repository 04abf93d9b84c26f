import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Call } from "#kernel/call.ts";
import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import { randomBase62 } from "#kernel/ids.ts";
import { createApiKey, SCOPE_NAMES } from "#src/api-keys/public.ts";
import { linksOf } from "#src/passes/public.ts";
import { publishConfiguration } from "#src/tenants/public.ts";
import { fillDemo } from "./demo-content.ts";

export type Demo = {
  readonly tenantId: string;
  readonly token: string;
  /** The public address of a pass to look at. */
  readonly landing: string;
};

const TENANT_ID = "demo";
const PASS_TYPE = "loyalty";
const DEMO_FILES = join(import.meta.dirname, "../../demo");
/** The sources of the images, which are not part of the tenant. */
const DRAWINGS = /^artwork\//;

/** Creates a tenant to try things out, with an API key, if the installation has no other tenant. */
export async function seedDemo(call: Call): Promise<Demo | undefined> {
  const tenants = await call.read(sql<{ id: string }>`select id from tenant limit 2`);
  if (tenants.some(({ id }) => id !== TENANT_ID)) return undefined;
  const context = call.forTenant(TENANT_ID);
  if (tenants.length === 0) {
    const files = await readDemoFiles();
    await publishConfiguration(context, { replaces: true, files, message: "Demo tenant" });
  }
  await fillDemo(context);
  // A new key at each attempt, because the key of a start that died before printing it is lost.
  const name = `demo-${randomBase62(4)}`;
  const { token } = await createApiKey(context, { name, scopes: [...SCOPE_NAMES] });
  return { tenantId: TENANT_ID, token, landing: await landingOf(context) };
}

/** Any loyalty card will do; the first one is always the same person's. */
async function landingOf(context: TenantContext): Promise<string> {
  const [pass] = await context.read(sql<{ id: string; secret: string }>`
    select id, secret
      from pass
     where tenant_id = ${context.tenantId} and pass_type = ${PASS_TYPE}
     order by id
     limit 1
  `);
  if (pass === undefined) throw new Error("The demo tenant has no loyalty card.");
  return linksOf(context.runtime.baseUrl, context.tenantId, pass).landing;
}

async function readDemoFiles(): Promise<Map<string, Buffer>> {
  const entries = await readdir(DEMO_FILES, { recursive: true, withFileTypes: true });
  const files = new Map<string, Buffer>();
  for (const entry of entries) {
    const place = join(entry.parentPath, entry.name);
    const path = relative(DEMO_FILES, place).replaceAll("\\", "/");
    if (entry.isFile() && !DRAWINGS.test(path)) files.set(path, await readFile(place));
  }
  return files;
}
