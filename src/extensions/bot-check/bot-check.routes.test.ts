import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { startSiteVerify } from "#test/support/siteverify.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const vendor = await startSiteVerify({ after });

const SECRET = "0x4AAAAAAA-the-secret-of-the-vendor";
const GOOD = { success: true, hostname: "passes.example", action: "enrol" };
const KNOWN = { json: { success: false, "error-codes": ["invalid-input-response"] } };
const SETTINGS = {
  provider: "turnstile",
  siteKey: "0x4AAAAAAADnPIDROrmt1Wwj",
  hostnames: ["passes.example"],
  action: "enrol",
  verifyUrl: vendor.url,
};

let tenants = 0;

async function stage(settings: object = SETTINGS) {
  tenants += 1;
  const tenantId = `bots-${tenants}`;
  await seedPassTenant(api, tenantId);
  const admin = await api.seed.key(tenantId, "Extension.Read", "Extension.Write");
  const key = await api.seed.key(tenantId, "BotCheck.Verify");
  const path = `/api/${tenantId}/admin/extensions/bot-check`;
  const put = (body: object) => api.put(path, { key: admin, body });
  const verify = (body: object = { token: "a-token" }) =>
    api.post(`/api/${tenantId}/extensions/bot-check/verify`, { key, body });
  vendor.answer(KNOWN);
  const { status, text } = await put({ ...settings, secret: SECRET });
  assert.equal(status, 204, text);
  vendor.asked.length = 0;
  return { tenantId, admin, path, put, verify };
}

describe("settings of the bot check (bot-check.get, bot-check.put, bot-check.delete)", () => {
  it("204: are tried at the vendor first, and never show the secret", async () => {
    const { path, admin, tenantId } = await stage();
    const { body, text } = await api.get(path, { key: admin });
    assert.deepEqual(body, { ...SETTINGS, enabled: true, hasSecret: true });
    assert.ok(!text.includes(SECRET));
    const file = await api.get(`/api/tenants/${tenantId}?version=2`, {
      key: api.operatorKey,
      headers: { accept: "application/json" },
    });
    assert.ok(!file.text.includes(SECRET));
  });

  it("400: a secret that the vendor does not know, a vendor that is away, settings that do not go together", async () => {
    const { put, path, admin } = await stage();
    const before = (await api.get(path, { key: admin })).body;
    const refusedFields = async (body: object) => {
      const { status, body: told } = await put(body);
      return [status, Object.keys(told.errors ?? {})];
    };
    vendor.answer({ json: { success: false, "error-codes": ["invalid-input-secret"] } });
    assert.deepEqual(await refusedFields({ ...SETTINGS, secret: "other" }), [400, ["secret"]]);
    vendor.answer({ status: 500 });
    assert.deepEqual(await refusedFields(SETTINGS), [400, ["provider"]]);
    vendor.answer(KNOWN);
    const scored = { ...SETTINGS, minimumScore: 0.5 };
    assert.deepEqual(await refusedFields(scored), [400, ["minimumScore"]]);
    const elsewhere = { ...SETTINGS, verifyUrl: "http://127.0.0.1:1/" };
    assert.deepEqual(await refusedFields(elsewhere), [400, ["secret"]]);
    assert.deepEqual((await api.get(path, { key: admin })).body, before);
  });
});

describe("POST /api/:tenantId/extensions/bot-check/verify (bot-check.verify)", () => {
  it("200: what the vendor says of a good token; it is asked once, by a form", async () => {
    const { verify } = await stage();
    vendor.answer({ json: { ...GOOD, challenge_ts: "2026-03-02T09:30:00Z" } });
    const { status, body, headers } = await verify({ token: "a-token", remoteIp: "203.0.113.7" });
    assert.deepEqual([status, headers.get("cache-control")], [200, "no-store"]);
    assert.deepEqual(body, {
      success: true,
      hostname: "passes.example",
      action: "enrol",
      score: null,
      challengedAt: "2026-03-02T09:30:00Z",
    });
    assert.deepEqual(vendor.asked, [
      {
        secret: SECRET,
        response: "a-token",
        sitekey: SETTINGS.siteKey,
        remoteip: "203.0.113.7",
      },
    ]);
  });

  it("403: a token that is refused, used, or of another host or action", async () => {
    const { verify } = await stage();
    const answers = [
      { success: false, "error-codes": ["timeout-or-duplicate"] },
      { ...GOOD, hostname: "evil.example" },
      { ...GOOD, action: "sign-in" },
    ];
    for (const json of answers) {
      vendor.answer({ json });
      const { status, body } = await verify();
      assert.deepEqual([status, body.code], [403, "bot-check.refused"], JSON.stringify(json));
    }
    vendor.answer({ json: answers[0] });
    assert.deepEqual((await verify()).body.errorCodes, ["timeout-or-duplicate"]);
  });

  it("503: a vendor that fails, redirects, talks nonsense or too much counts as a refusal", async () => {
    const { verify } = await stage();
    const answers = [
      { status: 500, body: JSON.stringify(GOOD) },
      { status: 302, headers: { location: vendor.url }, body: JSON.stringify(GOOD) },
      { status: 200, body: "<html>" },
      { status: 200, body: "" },
      { status: 200, body: JSON.stringify({ ...GOOD, padding: "x".repeat(100_000) }) },
      { json: { success: "yes" } },
      { json: { success: false, "error-codes": ["invalid-input-secret"] } },
    ];
    for (const answer of answers) {
      vendor.answer(answer);
      const { status, body, text, headers } = await verify();
      assert.deepEqual(
        [status, body.code],
        [503, "bot-check.unavailable"],
        JSON.stringify(answer).slice(0, 80),
      );
      assert.ok(!text.includes(SECRET) && headers.get("retry-after") === "30");
    }
    assert.ok(!api.logLines.join("").includes(SECRET));
  });

  it("400: a token that is missing or too long", async () => {
    const { verify } = await stage();
    for (const body of [{}, { token: "" }, { token: "x".repeat(9_000) }, { token: 7 }]) {
      const { status, body: told } = await verify(body);
      assert.deepEqual([status, Object.keys(told.errors)], [400, ["token"]]);
    }
    assert.deepEqual(vendor.asked, []);
  });

  it("404: at once when it is switched off or removed", async () => {
    const { put, verify, path, admin } = await stage();
    vendor.answer({ json: GOOD });
    assert.equal((await verify()).status, 200);
    vendor.answer(KNOWN);
    assert.equal((await put({ ...SETTINGS, enabled: false })).status, 204);
    assert.deepEqual(
      [(await verify()).status, (await verify()).body.code],
      [404, "extension.not-configured"],
    );
    await put(SETTINGS);
    assert.equal((await api.delete(path, { key: admin })).status, 204);
    assert.equal((await verify()).status, 404);
  });

  it("503: the secret does not go to an address that only a publication names", async (t) => {
    const { tenantId, verify } = await stage();
    const elsewhere = await startSiteVerify({ after: (undo) => t.after(undo) });
    elsewhere.answer({ json: GOOD });
    const publish = async (settings: object) => {
      const files = { "server/bot-check.yml": JSON.stringify(settings) };
      await seedPassTenant(api, tenantId, files);
    };
    await publish({ ...SETTINGS, verifyUrl: elsewhere.url });
    const { status, body } = await verify();
    assert.deepEqual([status, body.code], [503, "bot-check.unavailable"]);
    assert.deepEqual(elsewhere.asked, []);
    await publish(SETTINGS);
    vendor.answer({ json: GOOD });
    assert.equal((await verify()).status, 200);
  });

  it("503: in production no test secret and no other address of the vendor is used", async (t) => {
    const env = { ENVIRONMENT: "production", BASE_URL: "https://passes.example" };
    const production = await startApi(t, { env });
    const settings = { provider: "turnstile", siteKey: "1x00000000000000000000AA" };
    const put = (body: object) =>
      production.put("/api/acme/admin/extensions/bot-check", { key: production.operatorKey, body });
    const secret = "1x0000000000000000000000000000000AA";
    const files = (more: object) => ({
      "tenant.yml": "name: Acme\n",
      "server/bot-check.yml": JSON.stringify({ ...settings, ...more }),
    });
    await production.put("/api/tenants/acme", {
      key: production.operatorKey,
      body: { files: files({}) },
    });
    const first = await put({ ...settings, secret });
    assert.deepEqual([first.status, Object.keys(first.body.errors)], [400, ["secret"]]);
    const second = await put({ ...settings, verifyUrl: vendor.url, secret: SECRET });
    assert.deepEqual([second.status, Object.keys(second.body.errors)], [400, ["verifyUrl"]]);
    // Whoever stores them by other ways is refused all the same.
    const stored = await production.put("/api/acme/secrets/BOT-CHECK-SECRET", {
      key: production.operatorKey,
      body: { value: secret },
    });
    assert.ok(stored.status < 300, stored.text);
    const verify = () =>
      production.post("/api/acme/extensions/bot-check/verify", {
        key: production.operatorKey,
        body: { token: "XXXX.DUMMY.TOKEN.XXXX" },
      });
    assert.equal((await verify()).body.code, "bot-check.unavailable");
  });
});
