import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startWatched } from "#test/support/loop-delay.ts";

const DELAY_MS_MAX = 50;
/**
 * Repeats because garbage collection delays only some starts. Generating the document in one step
 * would delay all.
 */
const STARTS_MAX = 3;

describe("the first GET /openapi.json after a start", () => {
  it(`200: keeps the event loop from others for at most ${DELAY_MS_MAX} ms`, async (t) => {
    let longest = Number.POSITIVE_INFINITY;
    for (let starts = 0; starts < STARTS_MAX && longest > DELAY_MS_MAX; starts += 1) {
      const product = await startWatched(t, { ROLES: "api" });
      longest = await product.longestDelay(async () => {
        const { status, body } = await product.get("/openapi.json");
        assert.equal(status, 200);
        assert.equal(body.openapi, "3.1.1");
      });
    }
    assert.ok(longest <= DELAY_MS_MAX, `${Math.round(longest)} ms`);
  });
});
