import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { Rounds } from "./update.rounds.ts";

function start(lanes: number, left: Record<string, number>) {
  const served: string[] = [];
  const errors: unknown[] = [];
  let atOnce = 0;
  let atOnceMax = 0;
  const rounds = new Rounds({
    lanes,
    async run(tenantId) {
      atOnce += 1;
      atOnceMax = Math.max(atOnceMax, atOnce);
      served.push(tenantId);
      await nextTick();
      atOnce -= 1;
      const count = left[tenantId];
      if (count === undefined) throw new Error("unknown");
      left[tenantId] = count - 1;
      return count > 1;
    },
    onError: (_tenantId, error) => errors.push(error),
  });
  const settle = async () => {
    for (let count = 0; count < 50; count += 1) await nextTick();
  };
  return { rounds, served, errors, settle, most: () => atOnceMax };
}

describe("rounds", () => {
  it("go from tenant to tenant: one with much to do comes again after the others", async () => {
    const { rounds, served, settle } = start(1, { big: 3, small: 1, other: 1 });
    for (const tenantId of ["big", "small", "other"]) rounds.wake(tenantId);
    await settle();
    assert.deepEqual(served, ["big", "small", "other", "big", "big"]);
  });

  it("serve no more tenants at once than there are lanes, and none twice at once", async () => {
    const { rounds, settle, most, served } = start(2, { a: 1, b: 1, c: 1 });
    for (const tenantId of ["a", "b", "c", "a", "b"]) rounds.wake(tenantId);
    await settle();
    assert.equal(most(), 2);
    assert.deepEqual(served.toSorted(), ["a", "a", "b", "b", "c"]);
  });

  it("go on after an error", async () => {
    const { rounds, served, errors, settle } = start(1, { good: 1 });
    rounds.wake("bad");
    rounds.wake("good");
    await settle();
    assert.deepEqual([served, errors.length], [["bad", "good"], 1]);
  });

  it("end when they are stopped", async () => {
    const { rounds, served, settle } = start(1, { a: 100 });
    rounds.wake("a");
    await rounds.stop();
    rounds.wake("a");
    await settle();
    assert.deepEqual(served, ["a"]);
  });
});
