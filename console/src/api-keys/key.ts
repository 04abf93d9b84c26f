import type { components } from "../../generated/schema.ts";
import { api, type ListPage, take, takePage } from "../api/client.ts";
import { type ListWish, listQuery } from "../api/list-query.ts";
import type { ScopeName } from "./scopes.ts";

export type ApiKey = components["schemas"]["ApiKey"];
export type ApiKeyCreated = components["schemas"]["ApiKeyCreated"];
export type KeyChange = { name?: string; scopes?: ScopeName[]; expiresAt?: string | null };

const DAY_MS = 86_400_000;
const IDLE_DAYS = 30;
const BUSY_DAYS = 7;

/** Events that change the list of keys. */
export const KEY_EVENTS = ["api-key."];

export const keysOf = (tenantId: string): readonly unknown[] => ["api-keys", tenantId];

export const listKeys = (tenantId: string, wish: ListWish): Promise<ListPage<ApiKey>> =>
  takePage(
    api.GET("/api/{tenantId}/admin/apiKeys", {
      params: { path: { tenantId }, query: listQuery(wish) },
    }),
  );

export const getKey = (tenantId: string, keyName: string): Promise<ApiKey> =>
  take(
    api.GET("/api/{tenantId}/admin/apiKeys/{keyName}", { params: { path: { tenantId, keyName } } }),
  );

export const createKey = (
  tenantId: string,
  body: components["schemas"]["ApiKeyCreate"],
): Promise<ApiKeyCreated> =>
  take(api.POST("/api/{tenantId}/admin/apiKeys", { params: { path: { tenantId } }, body }));

export const updateKey = (tenantId: string, keyName: string, body: KeyChange): Promise<ApiKey> =>
  take(
    api.PUT("/api/{tenantId}/admin/apiKeys/{keyName}", {
      params: { path: { tenantId, keyName } },
      body,
    }),
  );

export const revokeKey = (tenantId: string, keyName: string): Promise<unknown> =>
  take(
    api.DELETE("/api/{tenantId}/admin/apiKeys/{keyName}", {
      params: { path: { tenantId, keyName } },
    }),
  );

const age = (iso: string): number => Date.now() - Date.parse(iso);

/** Nobody used the key for a month: it is probably not needed any more. */
export const isIdle = ({ lastUsedAt, createdAt }: ApiKey): boolean =>
  age(lastUsedAt ?? createdAt) > IDLE_DAYS * DAY_MS;

export const isExpired = ({ expiresAt }: ApiKey): boolean =>
  expiresAt !== null && age(expiresAt) > 0;

/** Something works with this key now, and would stop. */
export const isBusy = ({ lastUsedAt }: ApiKey): boolean =>
  lastUsedAt !== null && age(lastUsedAt) < BUSY_DAYS * DAY_MS;

/** `till-7` becomes `till-7.2`, and that `till-7.3`. */
export function nextName(name: string): string {
  const [, stem = name, count = "1"] = /^(.+)\.(\d{1,3})$/.exec(name) ?? [];
  return `${stem}.${Number(count) + 1}`.slice(-64);
}
