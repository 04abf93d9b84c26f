import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { FILLED, seedFormTenant, sendForm } from "#test/support/enrolment-form.ts";
import { startSiteVerify } from "#test/support/siteverify.ts";
import { startApi } from "#test/support/start-api.ts";
import { FORM_WORDS } from "./form.words.ts";

// The visitors of each vendor have an address of their own, so that limits count for them alone.
const api = await startApi({ after }, { env: { TRUST_PROXY: "1" } });
const vendor = await startSiteVerify({ after });
const words = FORM_WORDS.en;

const VENDORS = [
  {
    settings: { provider: "turnstile", siteKey: "site-1", action: "enrol" },
    field: "cf-turnstile-response",
    answer: { success: true, hostname: "localhost", action: "enrol" },
    origins: ["https://challenges.cloudflare.com"],
  },
  {
    settings: { provider: "hcaptcha", siteKey: "site-2" },
    field: "h-captcha-response",
    answer: { success: true, hostname: "localhost" },
    origins: ["https://hcaptcha.com", "https://*.hcaptcha.com"],
  },
  {
    settings: { provider: "recaptcha", siteKey: "site-3", minimumScore: 0.5 },
    field: "g-recaptcha-response",
    answer: { success: true, hostname: "localhost", score: 0.9 },
    origins: ["https://www.google.com/recaptcha/", "https://www.gstatic.com/recaptcha/"],
  },
] as const;

let people = 0;
const newPerson = () => {
  people += 1;
  return { ...FILLED, "answer.email": `person${people}@bots.example` };
};

for (const [at, { settings, field, answer, origins }] of VENDORS.entries()) {
  describe(`a form with ${settings.provider}`, () => {
    const tenantId = `by-${settings.provider}`;
    before(async () => {
      const file = JSON.stringify({ ...settings, verifyUrl: vendor.url });
      await seedFormTenant(api, tenantId, { "server/bot-check.yml": file });
      await api.put(`/api/${tenantId}/secrets/BOT-CHECK-SECRET`, {
        key: api.operatorKey,
        body: { value: "the-secret" },
      });
    });
    const path = `/e/${tenantId}/loyalty`;
    const visitor = { "x-forwarded-for": `10.${at}.0.1` };
    const send = (more: Readonly<Record<string, string>>) => sendForm(api, path, more, visitor);
    const rows = async () =>
      await api.sql(
        "select 'pass' from pass where tenant_id = $1 union all select 'customer' from customer where tenant_id = $1 union all select 'entry' from enrolment where tenant_id = $1",
        [tenantId],
      );

    it("200: loads exactly what the vendor needs", async () => {
      const { text, headers } = await api.get(path);
      assert.ok(text.includes(settings.siteKey) && text.includes(words.needsScript));
      const policy = headers.get("content-security-policy") ?? "";
      const [, scripts = ""] = /script-src ([^;]+);/.exec(policy) ?? [];
      const named = scripts.split(" ").filter((source) => source.startsWith("https:"));
      assert.deepEqual(named, [...origins]);
      assert.ok(!policy.includes("unsafe") && policy.includes("default-src 'none'"));
      assert.equal(headers.get("referrer-policy"), "strict-origin");
    });

    it("403: without a token, or with one that is refused; nothing is stored and all that was typed kept", async () => {
      vendor.asked.length = 0;
      const missing = await send(newPerson());
      assert.deepEqual([missing.status, vendor.asked.length], [403, 0]);
      assert.ok(missing.text.includes(words.botMissing) && missing.text.includes('value="Ada"'));
      vendor.answer({ json: { success: false, "error-codes": ["timeout-or-duplicate"] } });
      const refused = await send({ ...newPerson(), "consent.news": "yes", [field]: "used" });
      assert.equal(refused.status, 403);
      assert.ok(refused.text.includes(words.botRefused) && refused.text.includes('value="Ada"'));
      assert.match(refused.text, /id="consent-news"[^>]* checked/);
      assert.ok(!refused.text.includes("the-secret"));
      assert.deepEqual(await rows(), []);
    });

    it("503: a vendor that is broken or redirects is a refusal", async () => {
      const good = JSON.stringify(answer);
      for (const reply of [
        { status: 500, body: good },
        { status: 307, headers: { location: vendor.url }, body: good },
        { status: 200, body: "not json" },
        { json: { ...answer, success: "true" } },
      ]) {
        vendor.answer(reply);
        const { status, text } = await send({ ...newPerson(), [field]: "token" });
        assert.equal(status, 503);
        assert.ok(text.includes(words.botUnavailable) && text.includes('value="Ada"'));
      }
      assert.deepEqual(await rows(), []);
    });

    it("403: a token of another host", async () => {
      vendor.answer({ json: { ...answer, hostname: "evil.example" } });
      assert.equal((await send({ ...newPerson(), [field]: "token" })).status, 403);
      assert.deepEqual(await rows(), []);
    });

    it("422: mistakes cost no token", async () => {
      vendor.asked.length = 0;
      const { status } = await send({ "answer.firstName": "Ada", [field]: "token" });
      assert.deepEqual([status, vendor.asked.length], [422, 0]);
    });

    it("303: whoever passes gets a pass", async () => {
      vendor.answer({ json: answer });
      const { status } = await send({ ...newPerson(), [field]: "token" });
      assert.equal(status, 303);
      assert.equal((await rows()).length, 3);
    });

    it("303: a double tap leads to the same pass although its token is spent; another form does not", async () => {
      const [, attempt = ""] =
        /name="attempt" value="([^"]+)"/.exec((await api.get(path)).text) ?? [];
      const person = { ...newPerson(), [field]: "token" };
      vendor.answer({ json: answer });
      const first = await send({ ...person, attempt });
      const before = await rows();
      vendor.answer({ json: { success: false, "error-codes": ["timeout-or-duplicate"] } });
      vendor.asked.length = 0;
      const second = await send({ ...person, attempt });
      assert.deepEqual([second.status, vendor.asked.length], [303, 0]);
      assert.equal(second.headers.get("location"), first.headers.get("location"));
      const strangers = [
        person,
        { ...person, attempt: "A".repeat(32) },
        { ...newPerson(), attempt },
      ];
      for (const stranger of strangers) {
        const { status, headers } = await send({ ...stranger, [field]: "token" });
        assert.deepEqual([status, headers.get("location")], [403, null]);
      }
      assert.deepEqual(await rows(), before);
      await api.sql(
        "update enrolment set created_at = created_at - interval '61 minutes' where tenant_id = $1",
        [tenantId],
      );
      assert.equal((await send({ ...person, attempt })).status, 403);
    });
  });
}
