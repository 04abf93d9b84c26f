import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";

const SETTINGS = { shop: "cafe-lune.myshopify.com", passType: "loyalty" };
const SECRET = "shpss_grape-nut-77";

let count = 0;

describe("settings of a connector (shopify.get, shopify.put, shopify.delete)", () => {
  const api = shareApi();

  async function stage() {
    count += 1;
    const tenantId = `shop-${count}`;
    await seedPassTenant(api(), tenantId);
    const key = await api().seed.key(tenantId, "Extension.Read", "Extension.Write");
    const path = `/api/${tenantId}/admin/extensions/shopify`;
    const put = (body: object) => api().put(path, { key, body });
    return { tenantId, key, path, put, get: () => api().get(path, { key }) };
  }

  const versionOf = async (tenantId: string): Promise<number> => {
    const [row] = await api().sql("select version from tenant where id = $1", [tenantId]);
    return Number(row?.version);
  };

  it("404: nothing is configured at first", async () => {
    const { get } = await stage();
    const { status, body } = await get();
    assert.equal(status, 404);
    assert.equal(body.code, "extension.not-configured");
  });

  it("204: settings become a new version of server/shopify.yml, the secret a secret", async () => {
    const { tenantId, put, get, key } = await stage();
    const before = await versionOf(tenantId);
    assert.equal((await put({ ...SETTINGS, clientSecret: SECRET })).status, 204);
    assert.equal(await versionOf(tenantId), before + 1);

    const { status, body, text, headers } = await get();
    assert.equal(status, 200);
    const { webhookUrl, ...shown } = body;
    assert.deepEqual(shown, { ...SETTINGS, enabled: true, hasClientSecret: true });
    assert.match(webhookUrl, new RegExp(`/api/${tenantId}/extensions/shopify/webhooks/\\w{40}$`));
    assert.ok(!text.includes(SECRET));
    assert.equal(headers.get("cache-control"), "no-store");

    const stored = await api().get(`/api/${tenantId}/secrets/SHOPIFY-CLIENTSECRET`, {
      key: api().operatorKey,
    });
    assert.equal(stored.body.value, SECRET);
    const { body: again } = await api().get(`/api/${tenantId}/admin/extensions/shopify`, { key });
    assert.equal(again.webhookUrl, webhookUrl);
  });

  it("204: a secret that is left out or null stays, and settings alone make no other one", async () => {
    const { put, get } = await stage();
    await put({ ...SETTINGS, clientSecret: SECRET });
    const changed = { ...SETTINGS, fields: { firstName: "first_name" } };
    assert.equal((await put(changed)).status, 204);
    assert.equal((await put({ ...changed, clientSecret: null })).status, 204);
    const { body } = await get();
    assert.equal(body.hasClientSecret, true);
    assert.deepEqual(body.fields, { firstName: "first_name" });
  });

  it("204: saved by the ETag of what was read, and 412 by that of before", async () => {
    const { put, get, path, key } = await stage();
    await put({ ...SETTINGS, clientSecret: SECRET });
    const etag = (await get()).headers.get("etag") ?? "";
    assert.match(etag, /^"\d+"$/);
    const headers = { "if-match": etag };
    const body = { ...SETTINGS, fields: { firstName: "first_name" } };
    assert.equal((await api().put(path, { key, body, headers })).status, 204);
    const again = await api().put(path, { key, body: SETTINGS, headers });
    assert.equal(again.status, 412, again.text);
    assert.notEqual((await get()).headers.get("etag"), etag);
    assert.deepEqual((await get()).body.fields, body.fields);
  });

  it("400: without its secret, and nothing is saved", async () => {
    const { tenantId, put, get } = await stage();
    const before = await versionOf(tenantId);
    const { status, body } = await put(SETTINGS);
    assert.equal(status, 400);
    assert.deepEqual(body.errors, { clientSecret: ["is required"] });
    assert.equal(await versionOf(tenantId), before);
    assert.equal((await get()).status, 404);
  });

  it("400: names the member that is wrong, and a template that does not exist", async () => {
    const { put } = await stage();
    const wrong = await put({ ...SETTINGS, shop: "https://x", clientSecret: SECRET });
    assert.equal(wrong.status, 400);
    assert.ok("shop" in wrong.body.errors);
    const unknown = await put({ ...SETTINGS, shpo: 1, clientSecret: SECRET });
    assert.ok("shpo" in unknown.body.errors);
    const missing = await put({ ...SETTINGS, passType: "nothing", clientSecret: SECRET });
    assert.equal(missing.status, 400);
    assert.equal(missing.body.findings[0].code, "connector.unknown-pass-type");
  });

  it("204: removing takes the file, the secret and the address", async () => {
    const { tenantId, put, get, path, key } = await stage();
    await put({ ...SETTINGS, clientSecret: SECRET });
    const { body: first } = await get();
    assert.equal((await api().delete(path, { key })).status, 204);
    assert.equal((await get()).status, 404);
    assert.equal((await api().delete(path, { key })).status, 404);
    const secrets = await api().get(`/api/${tenantId}/secrets`, { key: api().operatorKey });
    assert.deepEqual(secrets.body, []);
    await put({ ...SETTINGS, clientSecret: SECRET });
    assert.notEqual((await get()).body.webhookUrl, first.webhookUrl);
  });

  it("200: a file that somebody published is the same as settings that were put", async () => {
    const { tenantId, get } = await stage();
    const body = { files: { "server/shopify.yml": "shop: a.myshopify.com\npassType: loyalty\n" } };
    await api().patch(`/api/tenants/${tenantId}`, { key: api().operatorKey, body });
    const { body: shown } = await get();
    assert.equal(shown.shop, "a.myshopify.com");
    assert.equal(shown.hasClientSecret, false);
  });

  it("200: the gallery (extension.list) shows every connector, configured or not", async () => {
    const { tenantId, put, key } = await stage();
    const list = () => api().get(`/api/${tenantId}/admin/extensions`, { key });
    const find = (all: { name: string }[]) => all.find(({ name }) => name === "shopify") as never;
    const before: Record<string, unknown> = find((await list()).body);
    assert.deepEqual(
      [before.configured, before.enabled, before.webhookUrl, before.secrets, before.problem],
      [false, false, null, { clientSecret: false }, null],
    );
    await put({ ...SETTINGS, clientSecret: SECRET });
    const after: Record<string, unknown> = find((await list()).body);
    assert.deepEqual([after.configured, after.enabled, after.waiting], [true, true, 0]);
    assert.match(String(after.webhookUrl), /webhooks\/\w{40}$/);
    await put({ ...SETTINGS, enabled: false });
    const off: Record<string, unknown> = find((await list()).body);
    assert.deepEqual([off.configured, off.enabled], [true, false]);
  });

  it("200: a test (extension.test) says what is missing; 404 for what there is not", async () => {
    const { tenantId, put, key } = await stage();
    const test = (name: string) =>
      api().post(`/api/${tenantId}/admin/extensions/${name}/test`, { key });
    assert.equal((await test("shopify")).body.code, "extension.not-configured");
    assert.equal((await test("nobody")).body.code, "extension.unknown");
    await put({ ...SETTINGS, clientSecret: SECRET });
    assert.deepEqual((await test("shopify")).body, { ok: true, errors: {} });
    await api().delete(`/api/${tenantId}/secrets/SHOPIFY-CLIENTSECRET`, {
      key: api().operatorKey,
    });
    assert.deepEqual((await test("shopify")).body, {
      ok: false,
      errors: { clientSecret: ["is not stored"] },
    });
  });

  it("the secret is in no log, event, audit row or archive", async () => {
    const { tenantId, put } = await stage();
    const value = `shpss_${tenantId}_walnut-42`;
    await put({ ...SETTINGS, clientSecret: value });
    await put({ ...SETTINGS, clientSecret: `${value}-2` });
    const found = (text: string) => text.includes(value);
    assert.ok(!api().logLines.some(found));
    for (const table of ["event", "audit", "configuration_blob", "connector_inbox"]) {
      const exists = await api().sql("select to_regclass($1) as name", [table]);
      if (exists[0]?.name === null) continue;
      const rows = await api().sql(`select ${table}::text as row from ${table}`);
      assert.ok(!rows.some(({ row }) => found(String(row))), table);
    }
    const files = await api().get(`/api/tenants/${tenantId}`, { key: api().operatorKey });
    assert.ok(!found(files.text));
  });
});
