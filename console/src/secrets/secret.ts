import type { components } from "../../generated/schema.ts";
import { api, type ListPage, take, takePage } from "../api/client.ts";
import { type ListWish, listQuery } from "../api/list-query.ts";

export type SecretEntry = components["schemas"]["SecretEntry"];

const ONE = "/api/{tenantId}/secrets/{key}";
const at = (tenantId: string, key: string) => ({ params: { path: { tenantId, key } } });

export const secretsOf = (tenantId: string): readonly unknown[] => ["secrets", tenantId];

export const listSecrets = (tenantId: string, wish: ListWish): Promise<ListPage<SecretEntry>> =>
  takePage(
    api.GET("/api/{tenantId}/secrets", { params: { path: { tenantId }, query: listQuery(wish) } }),
  );

/** Without reading its value, which would be written to the audit log. */
export async function isStored(tenantId: string, key: string): Promise<boolean> {
  const filters = [{ field: "key", operator: "equals" as const, value: key }];
  return (await listSecrets(tenantId, { filters })).items.length > 0;
}

/** Each reading is written to the audit log. The answer is kept nowhere. */
export async function readSecret(tenantId: string, key: string): Promise<string> {
  return (await take(api.GET(ONE, { ...at(tenantId, key), cache: "no-store" }))).value;
}

export const storeSecret = (tenantId: string, key: string, value: string): Promise<unknown> =>
  take(api.PUT(ONE, { ...at(tenantId, key), body: { value } }));

export const deleteSecret = (tenantId: string, key: string): Promise<unknown> =>
  take(api.DELETE(ONE, at(tenantId, key)));
