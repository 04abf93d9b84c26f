import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Lanes } from "./delivery.lanes.ts";

const SLOTS = 200;

function lanesOf(counts: Readonly<Record<string, number>>): Lanes {
  const lanes = new Lanes();
  for (const [tenantId, count] of Object.entries(counts)) {
    for (let n = 0; n < count; n += 1) lanes.get(tenantId, `hook${n}`).hasFirstAttempts = true;
  }
  return lanes;
}

const asked = (requests: ReturnType<Lanes["plan"]>) =>
  requests.reduce((sum, { firstAttempts, retries }) => sum + firstAttempts + retries, 0);

describe("the plan of what to claim", () => {
  it("gives every tenant something, however many webhooks another one has", () => {
    const requests = lanesOf({ big: 90, small: 1 }).plan(SLOTS, SLOTS, 0);
    assert.ok(requests.some(({ tenantId }) => tenantId === "small"));
  });

  it("never gives one tenant more than its share while its requests are under way", () => {
    const lanes = lanesOf({ big: 90 });
    for (let round = 0; round < 20; round += 1) {
      const free = SLOTS - lanes.inFlight;
      for (const request of lanes.plan(free, SLOTS, round)) {
        const lane = lanes.get(request.tenantId, request.webhookId);
        for (let n = 0; n < request.firstAttempts; n += 1) lanes.noteStart(lane);
      }
    }
    assert.ok(lanes.inFlight <= SLOTS / 4, String(lanes.inFlight));
  });

  it("asks for first attempts before retries, and for those that wait longest in turn", () => {
    const lanes = new Lanes();
    const lane = lanes.get("acme", "hook");
    lane.hasFirstAttempts = true;
    lane.hasRetries = true;
    const [request] = lanes.plan(SLOTS, SLOTS, 0);
    assert.deepEqual(request, {
      tenantId: "acme",
      webhookId: "hook",
      firstAttempts: 9,
      retries: 1,
    });
  });

  it("gives an endpoint that does not keep up one at a time, and more once it does", () => {
    const lane = new Lanes().get("acme", "hook");
    for (let n = 0; n < 5; n += 1) lane.noteAnswer(false, n);
    assert.equal(lane.window, 1);
    for (let n = 0; n < 1_000; n += 1) lane.noteAnswer(true, n);
    assert.equal(lane.window, 32);
  });

  it("property: never asks for more than there is room for, and starves nobody", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.integer({ min: 1, max: 40 }), {
          minKeys: 1,
          maxKeys: 30,
        }),
        fc.integer({ min: 1, max: SLOTS }),
        (counts, slots) => {
          const lanes = lanesOf(counts);
          const served = new Set<string>();
          const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
          for (let round = 0; served.size < total; round += 1) {
            assert.ok(round < 5_000, `${served.size} of ${total} were served`);
            const requests = lanes.plan(slots, SLOTS, round);
            assert.ok(asked(requests) <= slots);
            assert.ok(requests.length > 0);
            for (const { tenantId, webhookId } of requests) served.add(`${tenantId} ${webhookId}`);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
