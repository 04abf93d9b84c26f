import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { outcomeOf } from "./api.outcome.ts";

const meaningOf = (status: number, error?: object) => {
  const body = error === undefined ? undefined : { error: { message: "Too many.", ...error } };
  const outcome = outcomeOf({ status, retryAfter: null, body });
  return [outcome.kind, "isRateLimit" in outcome && outcome.isRateLimit === true];
};

describe("what an answer of Google means", () => {
  it("too many requests, in each form in which Google says it", () => {
    const details = [{ "@type": "type.googleapis.com/x", reason: "RATE_LIMIT_EXCEEDED" }];
    assert.deepEqual(meaningOf(429), ["quota", true]);
    assert.deepEqual(meaningOf(429, { status: "RESOURCE_EXHAUSTED" }), ["quota", true]);
    assert.deepEqual(meaningOf(429, { details }), ["quota", true]);
    assert.deepEqual(meaningOf(403, { details }), ["quota", true]);
    assert.deepEqual(meaningOf(403, { errors: [{ reason: "userRateLimitExceeded" }] }), [
      "quota",
      true,
    ]);
  });

  it("too many notifications of a pass, only with the reason that says so", () => {
    for (const status of [403, 429]) {
      assert.deepEqual(meaningOf(status, { errors: [{ reason: "quotaExceeded" }] }), [
        "quota",
        false,
      ]);
      assert.deepEqual(meaningOf(status, { details: [{ reason: "QUOTA_EXCEEDED" }] }), [
        "quota",
        false,
      ]);
    }
    assert.deepEqual(meaningOf(403), ["denied", false]);
    assert.deepEqual(meaningOf(403, { errors: [null], details: "none" }), ["denied", false]);
  });

  it("an object that is not there is not a class that is not there", () => {
    assert.deepEqual(meaningOf(404), ["not-found", false]);
    const of = (reason: string) => meaningOf(404, { errors: [{ reason }] });
    assert.deepEqual(of("resourceNotFound"), ["not-found", false]);
    assert.deepEqual(of("classNotFound"), ["class-not-found", false]);
  });
});
