import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newId } from "./ids.ts";

describe("identifiers in the order of time", () => {
  it("keep their order when the clock goes back, whatever their number", () => {
    const ahead = newId("job", Date.now() + 1_000);
    const later = Array.from({ length: 20_000 }, () => newId("job", 0));
    const all = [ahead, ...later];
    assert.deepEqual(all, [...new Set(all)].sort());
  });
});
