import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";

/** A platform that likes every key, as soon as it is let. */
async function startPlatform() {
  const seen: string[] = [];
  let gate: Promise<void> = Promise.resolve();
  const server = createServer(async (request, response) => {
    seen.push(String(request.headers.authorization));
    await gate;
    response.setHeader("content-type", "application/json");
    response.end('{"success":true,"results":[]}');
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  };
  return { url, seen, hold };
}

const [first, second] = [await startPlatform(), await startPlatform()];
const FILE = "server/cdp.yml";
let count = 0;

describe("the origin that a secret belongs to (cdp.put, extension.test)", () => {
  // Without the role `worker`, so that nothing but the tests uses the secret.
  const api = shareApi({ env: { ROLES: "api" } });

  async function stage() {
    count += 1;
    const tenantId = `origin-${count}`;
    await seedPassTenant(api(), tenantId);
    const key = api().operatorKey;
    const path = `/api/${tenantId}/admin/extensions/cdp`;
    const settingsOf = (baseUrl: string) => ({ projectToken: "p", baseUrl, apiKeyId: "id" });
    return {
      put: (baseUrl: string, more: object = {}) =>
        api().put(path, { key, body: { ...settingsOf(baseUrl), ...more } }),
      publish: async (baseUrl: string) => {
        const files = { [FILE]: `${JSON.stringify(settingsOf(baseUrl))}\n` };
        const done = await api().patch(`/api/tenants/${tenantId}`, { key, body: { files } });
        assert.ok(done.status < 300, done.text);
      },
      store: async (value: string) => {
        const body = { value };
        const done = await api().put(`/api/${tenantId}/secrets/CDP-APIKEYSECRET`, { key, body });
        assert.ok(done.status < 300, done.text);
      },
      test: () => api().post(`${path}/test`, { key }),
      get: () => api().get(path, { key }),
      origin: async () => {
        const rows = await api().sql("select origin from connector_origin where tenant_id = $1", [
          tenantId,
        ]);
        return rows[0]?.origin;
      },
    };
  }

  it("409: settings that were decided by older ones, after a new secret for another address", async () => {
    const { put, get, origin } = await stage();
    assert.equal((await put(first.url, { apiKeySecret: "one" })).status, 204);
    const seen = first.seen.length;
    const release = first.hold();
    const slow = put(first.url, { apiKeyId: "other" });
    while (first.seen.length === seen) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal((await put(second.url, { apiKeySecret: "two" })).status, 204);
    release();
    const { status, body } = await slow;
    assert.deepEqual([status, body.code], [409, "configuration.changed-meanwhile"]);
    assert.equal((await get()).body.baseUrl, second.url);
    assert.equal(await origin(), second.url);
  });

  it("409: a stored secret that was changed while the one of before was tried", async () => {
    const { put, store } = await stage();
    assert.equal((await put(first.url, { apiKeySecret: "one" })).status, 204);
    const seen = first.seen.length;
    const release = first.hold();
    const slow = put(first.url, { apiKeyId: "other" });
    while (first.seen.length === seen) await new Promise((resolve) => setTimeout(resolve, 10));
    await store("two");
    release();
    assert.equal((await slow).status, 409);
    assert.equal((await put(first.url, { apiKeyId: "other" })).status, 204);
  });

  it("a new value that is stored by itself stays with the address of the one before", async () => {
    const { put, publish, store, test, origin } = await stage();
    assert.equal((await put(first.url, { apiKeySecret: "one" })).status, 204);
    await publish(second.url);
    await store("two");
    const seen = second.seen.length;
    const { body } = await test();
    assert.deepEqual(body, {
      ok: false,
      errors: { apiKeySecret: ["is needed again for another address"] },
    });
    assert.equal((await put(second.url)).status, 400);
    assert.equal(second.seen.length, seen, "nothing was sent there");
    assert.equal(await origin(), first.url);
    assert.equal((await put(second.url, { apiKeySecret: "two" })).status, 204);
    assert.equal(await origin(), second.url);
  });

  it("a test changes nothing: a secret that never had an address has none after it", async () => {
    const { publish, store, test, origin } = await stage();
    await publish(first.url);
    await store("one");
    assert.equal((await test()).body.ok, true);
    assert.equal(await origin(), undefined);
  });
});
