import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startVendors } from "#test/support/vendors.ts";
import type { Check } from "./siteverify.schema.ts";

/** JSON of any shape. */
type Answer = ReturnType<typeof JSON.parse>;

async function ask(url: string, members: Record<string, string>, json = false): Promise<Answer> {
  const type = json ? "application/json" : "application/x-www-form-urlencoded";
  const body = json ? JSON.stringify(members) : new URLSearchParams(members).toString();
  const response = await fetch(url, { method: "POST", headers: { "content-type": type }, body });
  return await response.json();
}

const codeOf = (answer: Answer): string => answer["error-codes"].join();

describe("siteverify of Turnstile, hCaptcha and reCAPTCHA", () => {
  for (const [check, spent] of [
    ["turnstile", "timeout-or-duplicate"],
    ["hcaptcha", "already-seen-response"],
    ["recaptcha-v2", "timeout-or-duplicate"],
    ["recaptcha-v3", "timeout-or-duplicate"],
  ] as const satisfies readonly (readonly [Check, string])[]) {
    it(`takes a token of ${check} once, until it expires`, async (t) => {
      const vendors = await startVendors(t);
      const { siteverify } = vendors;
      const site = siteverify.createSite({ check, hostname: "harbour.example" });
      const { siteKey, secret, verifyUrl } = site;
      const response = siteverify.issueToken({ siteKey, action: "enrol", score: 0.3 });
      const first = await ask(verifyUrl, { secret, response, remoteip: "203.0.113.7" });
      assert.equal(first.success, true);
      assert.equal(first.hostname, "harbour.example");
      assert.ok(Date.parse(first.challenge_ts) <= Date.now());
      assert.equal(first.score, check === "recaptcha-v3" ? 0.3 : undefined);
      assert.equal(first.action, /turnstile|v3/.test(check) ? "enrol" : undefined);
      assert.equal(codeOf(await ask(verifyUrl, { secret, response })), spent);

      const late = siteverify.issueToken({ siteKey });
      await vendors.advance(300_000);
      const expired = check === "hcaptcha" ? "expired-input-response" : "timeout-or-duplicate";
      assert.equal(codeOf(await ask(verifyUrl, { secret, response: late })), expired);
    });
  }

  it("shows what it was asked without the secret", async (t) => {
    const { siteverify } = await startVendors(t);
    const { siteKey, secret, verifyUrl } = siteverify.createSite({ check: "turnstile" });
    for (const json of [false, true]) {
      const response = siteverify.issueToken({ siteKey });
      await ask(verifyUrl, { response, secret, remoteip: "203.0.113.7" }, json);
    }
    const { routes } = siteverify.control;
    const list = routes.find(
      ({ method, pattern }) => method === "GET" && pattern.test("/requests"),
    );
    const request = { params: {}, query: new URLSearchParams() };
    const shown = JSON.stringify(list?.handle(undefined, request));
    assert.ok(!shown.includes(secret), shown);
    assert.equal(shown.match(/203\.0\.113\.7/g)?.length, 2);
  });

  it("says what is missing or wrong", async (t) => {
    const { siteverify } = await startVendors(t);
    const { siteKey, secret, verifyUrl } = siteverify.createSite({ check: "turnstile" });
    const other = siteverify.createSite({ check: "turnstile" });
    const response = siteverify.issueToken({ siteKey });
    assert.equal(codeOf(await ask(verifyUrl, { response })), "missing-input-secret");
    assert.equal(codeOf(await ask(verifyUrl, { secret })), "missing-input-response");
    const stranger = { secret: "x", response };
    assert.equal(codeOf(await ask(verifyUrl, stranger)), "invalid-input-secret");
    const foreign = { secret: other.secret, response };
    assert.equal(codeOf(await ask(verifyUrl, foreign)), "invalid-input-response");
    const unsolved = siteverify.issueToken({ siteKey, solved: false });
    assert.equal(
      codeOf(await ask(verifyUrl, { secret, response: unsolved })),
      "invalid-input-response",
    );
    const headers = { "content-type": "application/json" };
    const broken = await fetch(verifyUrl, { method: "POST", headers, body: "{" });
    assert.equal(codeOf(await broken.json()), "bad-request");
  });

  it("reads JSON for Turnstile, and forms alone for the others", async (t) => {
    const { siteverify } = await startVendors(t);
    const answers = [];
    for (const check of ["turnstile", "hcaptcha", "recaptcha-v2"] as const) {
      const { siteKey, secret, verifyUrl } = siteverify.createSite({ check });
      const response = siteverify.issueToken({ siteKey });
      answers.push((await ask(verifyUrl, { secret, response }, true)).success);
    }
    assert.deepEqual(answers, [true, false, false]);
  });

  it("gives Turnstile's answer again for the same key of repetition", async (t) => {
    const { siteverify } = await startVendors(t);
    const { siteKey, secret, verifyUrl } = siteverify.createSite({ check: "turnstile" });
    const response = siteverify.issueToken({ siteKey });
    const idempotency_key = "7f3a2b1c-0000-4000-8000-000000000001";
    const first = await ask(verifyUrl, { secret, response, idempotency_key });
    assert.deepEqual(await ask(verifyUrl, { secret, response, idempotency_key }), first);
    assert.equal(codeOf(await ask(verifyUrl, { secret, response })), "timeout-or-duplicate");
  });

  it("knows the keys that are published for trials", async (t) => {
    const { siteverify } = await startVendors(t);
    const url = siteverify.verifyUrl("turnstile");
    const response = "XXXX.DUMMY.TOKEN.XXXX";
    const secretOf = (digit: number) => `${digit}x0000000000000000000000000000000AA`;
    assert.equal((await ask(url, { secret: secretOf(1), response })).success, true);
    assert.equal(
      codeOf(await ask(url, { secret: secretOf(2), response })),
      "invalid-input-response",
    );
    assert.equal(codeOf(await ask(url, { secret: secretOf(3), response })), "timeout-or-duplicate");
    const hcaptcha = await ask(siteverify.verifyUrl("hcaptcha"), {
      secret: "0x0000000000000000000000000000000000000000",
      response: "10000000-aaaa-bbbb-cccc-000000000001",
    });
    assert.equal(hcaptcha.success, true);
    const recaptcha = await ask(siteverify.verifyUrl("recaptcha-v2"), {
      secret: "6LeIxAcTAAAAAGG-vFI1TnRWxMZNFuojJ4WifJWe",
      response: "anything",
    });
    assert.equal(recaptcha.success, true);
  });
});
