import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Lane } from "./delivery.lane.ts";
import { Lanes } from "./delivery.lanes.ts";

const SLOTS = 200;

function lanesOf(counts: Readonly<Record<string, number>>, slotsMax = SLOTS): Lanes {
  const lanes = new Lanes(slotsMax);
  for (const [tenantId, count] of Object.entries(counts)) {
    for (let n = 0; n < count; n += 1) wake(lanes, lanes.get(tenantId, `hook${n}`));
  }
  return lanes;
}

function wake(lanes: Lanes, lane: Lane): void {
  lanes.wake(lane, { firstAttempts: true });
}

/** Plans claims and starts as many requests as were planned, as if all of them had been found. */
function beginAll(lanes: Lanes, now: number): number {
  const planned = lanes.plan(now);
  lanes.endClaims(planned);
  for (const { lane, slots } of planned) {
    for (let n = 0; n < slots; n += 1) lanes.noteStart(lane);
  }
  return planned.length;
}

describe("the plan of what to claim", () => {
  it("gives every tenant something, however many webhooks another one has", () => {
    const planned = lanesOf({ big: 90, small: 1 }).plan(0);
    assert.ok(planned.some(({ tenantId }) => tenantId === "small"));
  });

  it("never gives one tenant more than a fifth while its requests are under way", () => {
    const lanes = lanesOf({ big: 90 });
    for (const lane of lanes.all()) lanes.noteQuick(lane);
    for (let round = 0; round < 20; round += 1) beginAll(lanes, round);
    assert.ok(lanes.slotsTaken <= SLOTS / 5, String(lanes.slotsTaken));
  });

  it("asks for first attempts before retries, and for those that wait longest in turn", () => {
    const lanes = new Lanes(SLOTS);
    const lane = lanes.get("acme", "hook");
    lanes.noteQuick(lane);
    lanes.wake(lane, { firstAttempts: true, retries: true });
    const [planned] = lanes.plan(0);
    assert.deepEqual([planned?.firstAttempts, planned?.retries], [9, 1]);
  });

  it("takes turns between first attempts and retries where one request is all there is", () => {
    const lanes = new Lanes(SLOTS);
    const lane = lanes.get("acme", "hook");
    lanes.wake(lane, { firstAttempts: true, retries: true });
    const turns = [0, 1, 2, 3].map((now) => {
      const planned = lanes.plan(now);
      lanes.endClaims(planned);
      return planned.map(({ firstAttempts, retries }) => `${firstAttempts}+${retries}`).join();
    });
    assert.deepEqual(turns, ["1+0", "0+1", "1+0", "0+1"]);
  });

  it("gives an endpoint that does not keep up one at a time, and more once it does", () => {
    const lane = new Lanes(SLOTS).get("acme", "hook");
    for (let n = 0; n < 5; n += 1) lane.noteAnswer(false);
    assert.equal(lane.window, 1);
    for (let n = 0; n < 1_000; n += 1) lane.noteAnswer(true);
    assert.equal(lane.window, 32);
  });

  it("tries an endpoint nobody knows with one request, and opens up with its first quick answer", () => {
    const lanes = lanesOf({ acme: 1 });
    const lane = lanes.get("acme", "hook0");
    beginAll(lanes, 0);
    assert.equal(lane.inFlight, 1);
    assert.equal(lanes.plan(1).length, 0);
    lanes.noteQuick(lane);
    beginAll(lanes, 2);
    assert.equal(lane.inFlight, 10);
  });

  it("finds room at once for who answers and for who is new, beside 500 that hang", () => {
    for (const [tenants, webhooks] of [
      [10, 50],
      [4, 60],
      [110, 1],
    ] as const) {
      const lanes = lanesOf(
        Object.fromEntries(
          Array.from({ length: tenants }, (_none, at) => [`hung-${at}`, webhooks]),
        ),
        512,
      );
      for (let second = 0; second < 30; second += 1) {
        while (beginAll(lanes, second * 1_000) > 0);
        for (const lane of lanes.all()) if (lane.inFlight > 0) lanes.noteSlow(lane);
      }
      const [fresh, proven] = [lanes.get("fresh", "hook"), lanes.get("proven", "hook")];
      lanes.noteQuick(proven);
      for (const lane of [fresh, proven]) wake(lanes, lane);
      beginAll(lanes, 30_000);
      assert.equal(fresh.inFlight, 1, `${tenants} tenants with ${webhooks}`);
      assert.ok(proven.inFlight >= 10, `${proven.inFlight} beside ${lanes.slotsTaken}`);
    }
  });

  it("looks again when the next retry is due or a pause is over, not before", () => {
    const lanes = new Lanes(SLOTS);
    const [first, second] = [lanes.get("acme", "one"), lanes.get("acme", "two")];
    lanes.noteRetry(first, 700);
    lanes.noteRetry(first, 500);
    lanes.noteRetry(second, 600);
    assert.equal(lanes.nextLookAt, 500);
    assert.deepEqual(lanes.plan(499), []);
    const planned = lanes.plan(500);
    assert.deepEqual(
      planned.map(({ webhookId, firstAttempts, retries }) => [webhookId, firstAttempts, retries]),
      [["one", 0, 1]],
    );
    assert.equal(lanes.nextLookAt, 600);
    lanes.pause(second, 900);
    assert.deepEqual(lanes.plan(600), []);
    assert.equal(lanes.nextLookAt, 900);
    assert.equal(lanes.plan(900).length, 1);
  });

  it("property: never asks for more than there is room for, and starves nobody", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.integer({ min: 1, max: 40 }), {
          minKeys: 1,
          maxKeys: 30,
        }),
        fc.integer({ min: 8, max: SLOTS }),
        (counts, slotsMax) => {
          const lanes = lanesOf(counts, slotsMax);
          const served = new Set<Lane>();
          const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
          for (let round = 0; served.size < total; round += 1) {
            assert.ok(round < 5_000, `${served.size} of ${total} were served`);
            const planned = lanes.plan(round);
            assert.ok(planned.length > 0);
            assert.ok(lanes.slotsTaken <= slotsMax);
            lanes.endClaims(planned);
            for (const { lane } of planned) served.add(lane);
          }
          assert.equal(lanes.slotsTaken, 0);
        },
      ),
      { numRuns: 200 },
    );
  });
});
