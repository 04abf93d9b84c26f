import assert from "node:assert/strict";
import type { TestApi } from "./start-api.ts";

export const KEYS = "/api/acme/admin/apiKeys";

/** Two tenants and those who use the keys of the first one. */
export async function seedKeyHolders(api: TestApi) {
  await api.seed.tenant("acme");
  await api.seed.tenant("rival");
  let count = 0;
  return {
    admin: api.operatorKey,
    writer: await api.seed.key("acme", "ApiKey.Read", "ApiKey.Write", "Pass.Read"),
    reader: await api.seed.key("acme", "ApiKey.Read"),
    rival: await api.seed.key("rival", "ApiKey.Read", "ApiKey.Write"),
    async makeKey(more: Record<string, unknown> = {}) {
      count += 1;
      const name = `key-${count}`;
      const body = { name, scopes: ["Pass.Read"], ...more };
      const made = await api.post(KEYS, { key: api.operatorKey, body });
      assert.equal(made.status, 201, made.text);
      return { name, token: made.body.token as string, etag: made.headers.get("etag") ?? "" };
    },
  };
}
