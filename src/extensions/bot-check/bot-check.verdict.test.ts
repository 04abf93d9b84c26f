import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { BotCheckSettings } from "./bot-check.settings.ts";
import { judge } from "./bot-check.verdict.ts";

const TURNSTILE: BotCheckSettings = { provider: "turnstile", siteKey: "k", action: "enrol" };
const SCORED: BotCheckSettings = { provider: "recaptcha", siteKey: "k", minimumScore: 0.5 };

const judged = (answer: unknown, settings = TURNSTILE, isTest = false) => {
  const verdict = judge(answer, { settings, hostnames: ["passes.example"], isTest });
  return verdict.isPerson ? "person" : verdict.reason;
};
const GOOD = { success: true, hostname: "passes.example", action: "enrol" };

describe("judge", () => {
  it("takes nobody for a person whose token is of another host or action", () => {
    assert.equal(judged(GOOD), "person");
    assert.equal(judged({ ...GOOD, hostname: "PASSES.example" }), "person");
    for (const wrong of [
      { hostname: "evil.example" },
      { hostname: "passes.example.evil.example" },
      { hostname: undefined },
      { action: "other" },
      { action: undefined },
    ]) {
      assert.equal(judged({ ...GOOD, ...wrong }), "refused", JSON.stringify(wrong));
    }
  });

  it("asks for a score where the settings name one", () => {
    assert.equal(judged({ ...GOOD, score: 0.5 }, SCORED), "person");
    for (const score of [0.49, "0.9", null, undefined, Number.NaN]) {
      assert.equal(judged({ ...GOOD, score }, SCORED), "refused", String(score));
    }
  });

  it("checks host and action of no test secret, which has those of the vendor", () => {
    assert.equal(judged({ success: true, hostname: "example.com" }, TURNSTILE, true), "person");
  });

  it("tells the visitor's faults from those of the setup", () => {
    const refused = (...codes: unknown[]) => judged({ success: false, "error-codes": codes });
    assert.equal(refused("timeout-or-duplicate"), "refused");
    assert.equal(refused("invalid-input-response"), "refused");
    assert.equal(refused("something-new"), "refused");
    assert.equal(refused(), "refused");
    assert.equal(judged({ success: false }), "refused");
    for (const code of ["invalid-input-secret", "missing-input-secret", "bad-request"]) {
      assert.equal(refused(code), "unavailable", code);
    }
    assert.equal(refused("internal-error", 7, null), "unavailable");
  });

  it("takes nobody for a person by an answer that is not understood", () => {
    for (const answer of [undefined, null, true, "true", 1, [], {}, { success: "true" }]) {
      assert.equal(judged(answer), "unavailable", JSON.stringify(answer));
    }
    fc.assert(
      fc.property(fc.anything(), (answer) => {
        const isGood = (answer as { success?: unknown } | null)?.success === true;
        assert.ok(isGood || judged(answer) !== "person");
      }),
    );
  });
});
