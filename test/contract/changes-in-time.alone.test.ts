import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { KEYS, seedKeyHolders } from "#test/support/api-keys.ts";
import type { ApiResponse } from "#test/support/client.ts";
import { startStopwatch, watchSlowness } from "#test/support/slowness.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const { admin, makeKey } = await seedKeyHolders(api);
const READS = { scopes: ["ApiKey.Read"] };
const SETTINGS = "name: Acme\n";

const putFiles = (tenantId: string, files: object) =>
  api.put(`/api/tenants/${tenantId}`, { key: admin, body: { files } });

/** Measures the time until the node refuses the key. */
async function refusedAfterMs(ask: () => Promise<ApiResponse>): Promise<number> {
  const elapsedMs = startStopwatch();
  while (elapsedMs() < 5_000) {
    const { status } = await ask();
    if (status === 401) return elapsedMs();
    assert.equal(status, 200);
    await sleep(5);
  }
  return Number.POSITIVE_INFINITY;
}

describe("what was changed holds in time", () => {
  it("401: a key ends at its expiry, though it was used a moment before", async () => {
    const slowness = watchSlowness();
    const expiresAt = new Date(Date.now() + 700).toISOString();
    const { token } = await makeKey({ ...READS, expiresAt });
    let last = await api.get(KEYS, { key: token });
    assert.equal(last.status, 200);
    while (last.status === 200 && Date.now() < Date.parse(expiresAt) + 10_000) {
      last = await api.get(KEYS, { key: token });
    }
    assert.equal(last.status, 401);
    const lateMs = (Date.now() - Date.parse(expiresAt)) / slowness();
    assert.ok(lateMs >= 0 && lateMs < 300, `refused ${lateMs} ms after the expiry`);
  });

  it("401: a revocation holds on another node within a second", async () => {
    const node = await api.node();
    const { name, token } = await makeKey(READS);
    const ask = () => node.get(KEYS, { key: token });
    assert.equal((await ask()).status, 200);
    assert.equal((await api.delete(`${KEYS}/${name}`, { key: admin })).status, 204);
    const elapsedMs = await refusedAfterMs(ask);
    assert.ok(elapsedMs < 1_000, `took ${elapsedMs} ms`);
  });

  it("401: a revocation holds within a second even when its signal is lost", async () => {
    const { name, token } = await makeKey(READS);
    const ask = () => api.get(KEYS, { key: token });
    assert.equal((await ask()).status, 200);
    await api.sql("delete from api_key where tenant_id = 'acme' and name = $1", [name]);
    const elapsedMs = await refusedAfterMs(ask);
    assert.ok(elapsedMs < 1_000, `took ${elapsedMs} ms`);
  });

  it("403: a scope taken away is gone from another node within a second", async () => {
    const node = await api.node();
    const { name, token } = await makeKey(READS);
    assert.equal((await node.get(KEYS, { key: token })).status, 200);
    await api.put(`${KEYS}/${name}`, { key: admin, body: { scopes: ["Pass.Read"] } });
    await sleep(1_000);
    assert.equal((await node.get(KEYS, { key: token })).status, 403);
  });

  it("a change holds on another node within a second", async () => {
    const node = await api.node();
    await putFiles("fast", { "tenant.yml": SETTINGS });
    const key = await api.seed.key("fast", "ApiKey.Read");
    assert.equal((await node.get("/api/fast/admin/apiKeys", { key })).status, 200);
    const limit = "rateLimits: { api-key.list: { limit: 1, windowSeconds: 3600 } }\n";
    await putFiles("fast", { "tenant.yml": `${SETTINGS}${limit}` });
    const elapsedMs = startStopwatch();
    let status = 200;
    while (status === 200 && elapsedMs() < 1_000) {
      ({ status } = await node.get("/api/fast/admin/apiKeys", { key }));
    }
    assert.equal(status, 429);
  });
});
