import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Pace } from "./update.pace.ts";

describe("the pace of updates", () => {
  it("halves with each failure down to one by one, for that tenant alone", () => {
    const pace = new Pace();
    const sizes = Array.from({ length: 10 }, () => {
      pace.slower("slow", pace.sizeOf("slow"));
      return pace.sizeOf("slow");
    });
    assert.deepEqual(sizes, [100, 50, 25, 12, 6, 3, 1, 1, 1, 1]);
    assert.equal(pace.sizeOf("other"), 200);
  });

  it("halves what was tried, when that was less than allowed", () => {
    const pace = new Pace();
    pace.slower("slow", 80);
    assert.equal(pace.sizeOf("slow"), 40);
    pace.slower("slow", 0);
    assert.equal(pace.sizeOf("slow"), 1);
  });

  it("grows in steps to where it began", () => {
    const pace = new Pace();
    pace.slower("slow", 200);
    for (const size of [120, 140, 160, 180, 200, 200]) {
      pace.faster("slow");
      assert.equal(pace.sizeOf("slow"), size);
    }
  });
});
