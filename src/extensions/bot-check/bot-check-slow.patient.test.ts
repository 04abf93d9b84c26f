import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FILLED, seedFormTenant, sendForm } from "#test/support/enrolment-form.ts";
import { startSiteVerify } from "#test/support/siteverify.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { startApi } from "#test/support/start-api.ts";

describe("a vendor of bot checks that does not answer", () => {
  it("503: refuses within ten seconds, with everything typed kept and nothing stored", async (t) => {
    const api = await startApi(t);
    const vendor = await startSiteVerify(t);
    const settings = { provider: "turnstile", siteKey: "k", verifyUrl: vendor.url };
    await seedFormTenant(api, "acme", { "server/bot-check.yml": JSON.stringify(settings) });
    const secret = { key: api.operatorKey, body: { value: "s" } };
    await api.put("/api/acme/secrets/BOT-CHECK-SECRET", secret);
    vendor.answer("hang");
    const elapsedMs = startStopwatch();
    const fields = { ...FILLED, "cf-turnstile-response": "token" };
    const [form, verified] = await Promise.all([
      sendForm(api, "/e/acme/loyalty", fields),
      api.post("/api/acme/extensions/bot-check/verify", {
        key: api.operatorKey,
        body: { token: "token" },
      }),
    ]);
    assert.ok(elapsedMs() < 10_000);
    assert.deepEqual([form.status, verified.status], [503, 503]);
    assert.ok(form.text.includes('value="ada@harbour.example"'));
    assert.deepEqual(await api.sql("select 1 from customer"), []);
  });
});
