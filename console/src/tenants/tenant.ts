import type { components } from "../../generated/schema.ts";
import { api, authorizedFetch, type ListPage, take, takePage } from "../api/client.ts";
import { type ListWish, listQuery } from "../api/list-query.ts";
import { ApiProblem } from "../api/problem.ts";
import { settings } from "../settings.ts";

export type Tenant = components["schemas"]["Tenant"];

/** A file as text, or its bytes in base64. */
type Files = Readonly<Record<string, string | { readonly base64: string }>>;

/** All that is known of tenants: this list, and the names in the navigation. */
export const TENANTS = ["tenants"] as const;
export const TENANT_LIST = [...TENANTS, "list"] as const;
export const TENANT_EVENTS = ["tenant.", "configuration."];

const SETTINGS_FILE = "tenant.yml";
const ZIP_TIMEOUT_MS = 120_000;

const of = (tenantId: string) => ({ params: { path: { tenantId } } });

export const listTenants = (wish: ListWish): Promise<ListPage<Tenant>> =>
  takePage(api.GET("/api/tenants", { params: { query: listQuery(wish) } }));

export async function isTenant(tenantId: string): Promise<boolean> {
  const filters = [{ field: "tenantId", operator: "equals" as const, value: tenantId }];
  return (await listTenants({ filters })).items.length > 0;
}

const putFiles = (tenantId: string, files: Files): Promise<unknown> =>
  take(api.PUT("/api/tenants/{tenantId}", { ...of(tenantId), body: { files } } as never));

export const createEmpty = (tenantId: string, name: string): Promise<unknown> =>
  putFiles(tenantId, { [SETTINGS_FILE]: `name: ${JSON.stringify(name)}\n` });

/** With the files of another tenant, under a name of its own. Secrets and passes stay where they are. */
export async function createCopy(tenantId: string, name: string, from: string): Promise<unknown> {
  const headers = { accept: "application/json" };
  const told = await take(
    api.GET("/api/tenants/{tenantId}", { ...of(from), headers } as never) as never,
  );
  const { files } = told as { files: Files };
  const before = files[SETTINGS_FILE];
  const text = typeof before === "string" ? renamed(before, name) : renamed("", name);
  return await putFiles(tenantId, { ...files, [SETTINGS_FILE]: text });
}

/** A domain belongs to one tenant alone, so the copy begins without one. */
function renamed(settingsText: string, name: string): string {
  const kept = settingsText
    .split("\n")
    .filter((line) => !/^(name|domain)\s*:/.test(line))
    .join("\n");
  return `name: ${JSON.stringify(name)}\n${kept}`;
}

export async function createFromZip(tenantId: string, archive: Blob): Promise<void> {
  const url = `${settings.baseUrl}/api/tenants/${encodeURIComponent(tenantId)}`;
  const headers = { "content-type": "application/zip" };
  const request = new Request(url, { method: "PUT", headers, body: archive });
  const response = await authorizedFetch(request, ZIP_TIMEOUT_MS);
  if (response.ok) return void (await response.body?.cancel());
  throw new ApiProblem(response, await response.json().catch(() => undefined));
}

export const endTenant = (tenantId: string): Promise<unknown> =>
  take(api.DELETE("/api/tenants/{tenantId}", of(tenantId)));

const ID_CHARS_MAX = 63;

/** The id that a name suggests: `Café Lune` becomes `cafe-lune`. */
export const suggestId = (name: string): string =>
  name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, ID_CHARS_MAX);
