import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";
import { startVendors } from "#test/support/vendors.ts";

const vendors = await startVendors({ after });
const { siteverify } = vendors;
const { server } = siteverify;

const LIES = ["redirect", "html", "not-json", "wrong-json", "echo", "half", "huge"] as const;
const FAILURES = [...LIES, "cut", "cut-after", "429", "500", "503", "refuse"] as const;

describe("a vendor of bot checks that lies, floods or is away", () => {
  const api = shareApi();
  let tenants = 0;
  afterEach(() => server.setFault(undefined));

  async function stage() {
    tenants += 1;
    const tenantId = `liar-${tenants}`;
    await seedPassTenant(api(), tenantId);
    const { siteKey, secret, verifyUrl } = siteverify.createSite({
      check: "turnstile",
      hostname: "passes.example",
    });
    const path = `/api/${tenantId}/admin/extensions/bot-check`;
    const key = api().operatorKey;
    const settings = { provider: "turnstile", siteKey, hostnames: ["passes.example"], verifyUrl };
    const put = (more: object = {}) => api().put(path, { key, body: { ...settings, ...more } });
    const saved = await put({ secret });
    assert.equal(saved.status, 204, saved.text);
    const verify = (token: string) =>
      api().post(`/api/${tenantId}/extensions/bot-check/verify`, { key, body: { token } });
    const newToken = () => siteverify.issueToken({ siteKey, hostname: "passes.example" });
    return { put, verify, newToken, secret, read: () => api().get(path, { key }) };
  }

  it("503: counts as a refusal whatever it says, is asked once for each token, and is good again afterwards", async () => {
    const { verify, newToken, secret } = await stage();
    for (const kind of FAILURES) {
      await server.setFault({ kind });
      server.forget();
      const token = newToken();
      const { status, body, text } = await verify(token);
      assert.deepEqual([status, body.code], [503, "bot-check.unavailable"], `${kind} ${text}`);
      assert.ok(!text.includes(secret) && !text.includes(token), kind);
      const asked = server.requests.filter(({ path }) => !path.includes("elsewhere")).length;
      assert.equal(asked, kind === "refuse" ? 0 : 1, kind);
      assert.equal(server.requests.length, asked, `${kind}: nothing is sent elsewhere`);
      await server.setFault(undefined);
      assert.equal((await verify(newToken())).status, 200, kind);
      // It was used, although nobody heard of it: the visitor solves another one.
      const again = await verify(token);
      assert.equal(again.status, kind === "cut-after" || kind === "half" ? 403 : 200, kind);
    }
    assert.ok(!api().logLines.some((line) => line.includes(secret)));
  });

  it("400: settings stay as they are while it cannot be asked, or is not understood", async () => {
    const { put, read, secret } = await stage();
    const before = (await read()).body;
    for (const kind of FAILURES) {
      await server.setFault({ kind });
      const { status, text } = await put({ action: "enrol" });
      assert.equal(status, 400, `${kind} ${text}`);
      assert.ok(!text.includes(secret), kind);
      assert.deepEqual((await read()).body, before, kind);
    }
  });

  it("503: for an hour in which it is away, and at once good when it is back", async () => {
    const { verify, newToken } = await stage();
    await server.setFault({ kind: "refuse", seconds: 3_600 });
    for (let minutes = 0; minutes < 60; minutes += 20) {
      assert.equal((await verify(newToken())).status, 503);
      await vendors.advance(20 * 60_000);
    }
    assert.equal((await verify(newToken())).status, 200);
  });
});
