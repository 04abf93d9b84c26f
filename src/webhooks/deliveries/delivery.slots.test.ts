import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Holder, Slots, type Standing } from "./delivery.slots.ts";

const SLOTS = 400;

/** Takes all slots that the holder may have. */
function fill(slots: Slots, holder: Holder): number {
  const room = slots.roomFor(holder);
  slots.count(holder, room);
  return room;
}

const hold = (tenantId: string, standing: Standing): Holder => ({ tenantId, standing });

describe("the slots of requests", () => {
  it("give one tenant a fifth at most, and leave four times as many to all others", () => {
    const slots = new Slots(SLOTS);
    assert.equal(fill(slots, hold("big", "proven")), SLOTS / 5);
    assert.equal(fill(slots, hold("big", "proven")), 0);
    assert.equal(slots.roomFor(hold("other", "proven")), (SLOTS * 4) / 25);
  });

  it("are never all held by endpoints that hang: proven and unknown ones find some", () => {
    for (const tenants of [1, 4, 10, 110, 500]) {
      const slots = new Slots(SLOTS);
      for (let round = 0; round < 100; round += 1) {
        for (let at = 0; at < tenants; at += 1) fill(slots, hold(`hung-${at}`, "slow"));
      }
      assert.ok(slots.taken <= SLOTS / 4, `${slots.taken} of ${tenants} tenants`);
      assert.ok(slots.roomFor(hold("fresh", "unknown")) > 0);
      assert.ok(slots.roomFor(hold("quick", "proven")) >= 32);
    }
  });

  it("leave some to whoever comes while many unknown endpoints are being tried at once", () => {
    const slots = new Slots(SLOTS);
    for (let at = 0; at < 1_000; at += 1) {
      const holder = hold(`tenant-${at % 90}`, "unknown");
      if (slots.roomFor(holder) > 0) slots.count(holder, 1);
    }
    assert.ok(slots.roomFor(hold("fresh", "unknown")) > 0);
    assert.ok(slots.roomFor(hold("quick", "proven")) >= 32);
  });

  it("hold back a quarter when what was unknown turns out to hang, again and again", () => {
    const slots = new Slots(SLOTS);
    for (let at = 0; at < 5_000; at += 1) {
      const [unknown, slow] = [hold(`t-${at % 50}`, "unknown"), hold(`t-${at % 50}`, "slow")];
      if (slots.roomFor(unknown) === 0) continue;
      slots.count(unknown, 1);
      slots.count(unknown, -1);
      slots.count(slow, 1);
    }
    assert.ok(slots.taken <= (SLOTS * 3) / 4);
    assert.ok(slots.roomFor(hold("quick", "proven")) > 0);
    assert.ok(slots.roomFor(hold("fresh", "unknown")) > 0);
  });

  it("leave some even when endpoints of 300 tenants hang that answered quickly until then", () => {
    const slots = new Slots(SLOTS);
    for (let at = 0; at < 30_000; at += 1) {
      const holder = hold(`t-${at % 300}`, "proven");
      if (slots.roomFor(holder) > 0) slots.count(holder, 1);
    }
    assert.ok(slots.roomFor(hold("quick", "proven")) > 0);
  });

  it("property: nobody who holds none goes without while fifteen others take all they can get", () => {
    const standing = fc.constantFrom<Standing>("proven", "unknown", "slow");
    const turn = fc.record({ tenant: fc.nat(14), standing });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 500 }), (turns) => {
        const slots = new Slots(SLOTS);
        for (const one of turns) fill(slots, hold(`t-${one.tenant}`, one.standing));
        assert.ok(slots.taken <= SLOTS);
        for (const kind of ["proven", "unknown"] as const) {
          assert.ok(slots.roomFor(hold("newcomer", kind)) > 0, kind);
        }
      }),
    );
  });
});
