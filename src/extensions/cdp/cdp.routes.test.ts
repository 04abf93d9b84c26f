import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";
import { startVendors } from "#test/support/vendors.ts";

const { bloomreach } = await startVendors({ after });
let count = 0;

describe("settings of the customer-data platform (cdp.get, cdp.put, cdp.delete)", () => {
  const api = shareApi();

  async function stage() {
    count += 1;
    const tenantId = `cdp-${count}`;
    await seedPassTenant(api(), tenantId);
    const project = bloomreach.createProject({ apiKeySecret: `hazel-${count}-secret` });
    const key = await api().seed.key(tenantId, "Extension.Read", "Extension.Write");
    const path = `/api/${tenantId}/admin/extensions/cdp`;
    const { token: projectToken, apiKeyId, apiKeySecret } = project;
    const settings = { projectToken, baseUrl: bloomreach.url, apiKeyId };
    return {
      tenantId,
      key,
      path,
      project,
      settings,
      apiKeySecret,
      put: (body: object) => api().put(path, { key, body }),
      get: () => api().get(path, { key }),
      gallery: async () => {
        const { body } = await api().get(`/api/${tenantId}/admin/extensions`, { key });
        return body.find(({ name }: { name: string }) => name === "cdp");
      },
      publish: (text: string) =>
        api().patch(`/api/tenants/${tenantId}`, {
          key: api().operatorKey,
          body: { files: { "server/cdp.yml": text } },
        }),
    };
  }

  const versionOf = async (tenantId: string): Promise<number> => {
    const [row] = await api().sql("select version from tenant where id = $1", [tenantId]);
    return Number(row?.version);
  };

  it("404, 204, 200: exactly the specified members, as a new version of server/cdp.yml", async () => {
    const { tenantId, put, get, settings, apiKeySecret } = await stage();
    const missing = await get();
    assert.deepEqual([missing.status, missing.body.code], [404, "extension.not-configured"]);
    const before = await versionOf(tenantId);
    const saved = await put({ ...settings, apiKeySecret });
    assert.deepEqual([saved.status, saved.text], [204, ""]);
    assert.equal(await versionOf(tenantId), before + 1);
    const { status, body, text } = await get();
    assert.equal(status, 200);
    assert.deepEqual(body, { ...settings, hasApiKeySecret: true });
    assert.ok(!text.includes(apiKeySecret));
    const stored = await api().get(`/api/${tenantId}/secrets/CDP-APIKEYSECRET`, {
      key: api().operatorKey,
    });
    assert.equal(stored.body.value, apiKeySecret);
  });

  it("204: the cache may be given, be null or stay away; enabled stands in the file alone", async () => {
    const { put, get, settings, apiKeySecret, gallery, publish } = await stage();
    const customer = { ttlSeconds: 60, attributes: ["first_name"] };
    await put({ ...settings, apiKeySecret, cache: { customer } });
    assert.deepEqual((await get()).body.cache, { customer });
    assert.equal((await put({ ...settings, cache: { customer: null } })).status, 204);
    assert.deepEqual((await get()).body.cache, { customer: null });
    const refused = await put({ ...settings, enabled: false });
    assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [400, ["enabled"]]);
    await publish(`${JSON.stringify({ ...settings, enabled: false })}\n`);
    assert.equal((await put(settings)).status, 204);
    assert.deepEqual((await get()).body, { ...settings, hasApiKeySecret: true });
    assert.equal((await gallery()).enabled, false);
  });

  it("204: a secret that is left out or null is kept, and used for the check", async () => {
    const { put, get, settings, apiKeySecret, project } = await stage();
    await put({ ...settings, apiKeySecret });
    for (const more of [{}, { apiKeySecret: null }]) {
      assert.equal((await put({ ...settings, ...more })).status, 204);
    }
    const rotated = bloomreach.createProject({
      token: project.token,
      apiKeyId: project.apiKeyId,
      apiKeySecret: "another-hazel",
    });
    const stale = await put(settings);
    assert.deepEqual([stale.status, Object.keys(stale.body.errors)], [400, ["apiKeySecret"]]);
    assert.equal((await put({ ...settings, apiKeySecret: rotated.apiKeySecret })).status, 204);
    assert.equal((await get()).body.hasApiKeySecret, true);
  });

  it("400: what the platform refuses is told by field, and nothing is saved", async () => {
    const { tenantId, put, get, settings, apiKeySecret } = await stage();
    const before = await versionOf(tenantId);
    const good = { ...settings, apiKeySecret };
    const cases: [object, string][] = [
      [settings, "apiKeySecret"],
      [{ ...good, projectToken: "nobody" }, "projectToken"],
      [{ ...good, projectToken: ".." }, "projectToken"],
      [{ ...good, apiKeyId: "nobody" }, "apiKeyId"],
      [{ ...good, apiKeyId: "a:b" }, "apiKeyId"],
      [{ ...good, apiKeySecret: "wrong" }, "apiKeySecret"],
      [{ ...good, baseUrl: `${settings.baseUrl}/elsewhere` }, "baseUrl"],
      [{ ...good, baseUrl: "http://127.0.0.1:9" }, "baseUrl"],
      [{ ...good, baseUrl: "http://169.254.169.254" }, "baseUrl"],
      [{ ...good, baseUrl: "not an address" }, "baseUrl"],
      [{ ...good, cache: { customer: { ttlSeconds: -1 } } }, "cache.customer"],
    ];
    for (const [body, field] of cases) {
      const { status, body: problem, text } = await put(body);
      assert.equal(status, 400, text);
      assert.ok(
        Object.keys(problem.errors).some((name) => name.startsWith(field)),
        `${field}: ${text}`,
      );
    }
    assert.equal(await versionOf(tenantId), before);
    assert.equal((await get()).status, 404);
  });

  it("400: a platform that redirects, lies, floods or fails is the address's fault, in our words", async (t) => {
    const { tenantId, put, settings, apiKeySecret } = await stage();
    t.after(() => bloomreach.server.setFault(undefined));
    const before = await versionOf(tenantId);
    for (const kind of [
      "redirect",
      "html",
      "not-json",
      "wrong-json",
      "huge",
      "cut",
      "429",
      "500",
    ] as const) {
      await bloomreach.server.setFault({ kind });
      const { status, body, text } = await put({ ...settings, apiKeySecret });
      assert.deepEqual(
        [status, Object.keys(body.errors ?? {})],
        [400, ["baseUrl"]],
        `${kind} ${text}`,
      );
      assert.ok(!text.includes(apiKeySecret));
    }
    assert.equal(await versionOf(tenantId), before);
  });

  it("400: for another address the secret is needed again, also after a publication", async () => {
    const { put, settings, apiKeySecret, publish, gallery, tenantId, key } = await stage();
    await put({ ...settings, apiKeySecret });
    const moved = { ...settings, baseUrl: settings.baseUrl.replace("127.0.0.1", "localhost") };
    assert.notEqual(moved.baseUrl, settings.baseUrl);
    const refused = await put(moved);
    assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [400, ["apiKeySecret"]]);
    const { status, text } = await publish(`${JSON.stringify(moved)}\n`);
    assert.equal(status, 200, text);
    const seen = () => bloomreach.server.requests.length;
    const before = seen();
    const tried = await api().post(`/api/${tenantId}/admin/extensions/cdp/test`, { key });
    assert.deepEqual(tried.body, {
      ok: false,
      errors: { apiKeySecret: ["is needed again for another address"] },
    });
    assert.equal((await put(moved)).status, 400);
    assert.match((await gallery()).problem, /belongs to http:\/\/127\.0\.0\.1/);
    assert.equal(seen(), before, "nothing was sent there");
    assert.equal((await put({ ...moved, apiKeySecret })).status, 204);
    assert.equal((await gallery()).problem, null);
  });

  it("the secret is in no log, event, audit row, archive or answer", async () => {
    const { tenantId, put, settings, apiKeySecret } = await stage();
    await put({ ...settings, apiKeySecret });
    await put({ ...settings, apiKeyId: "nobody" });
    const basic = Buffer.from(`${settings.apiKeyId}:${apiKeySecret}`).toString("base64");
    const found = (text: string) => text.includes(apiKeySecret) || text.includes(basic);
    assert.ok(!api().logLines.some(found));
    for (const table of ["event", "audit", "file_content", "connector_feed", "connector_origin"]) {
      const rows = await api().sql(`select ${table}::text as row from ${table}`);
      assert.ok(!rows.some(({ row }) => found(String(row))), table);
    }
    const files = await api().get(`/api/tenants/${tenantId}`, { key: api().operatorKey });
    assert.ok(!found(files.text));
  });
});
