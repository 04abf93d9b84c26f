import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RecentMap } from "./recent-map.ts";

describe("a map of recent things", () => {
  it("keeps at least the newer half", () => {
    const map = new RecentMap<number>(10);
    for (let index = 0; index < 1_000; index += 1) map.set(`k${index}`, index);
    for (let index = 995; index < 1_000; index += 1) assert.equal(map.get(`k${index}`), index);
  });

  it("never holds more than its size", () => {
    const map = new RecentMap<number>(10);
    for (let index = 0; index < 1_000; index += 1) map.set(`k${index}`, index);
    let held = 0;
    // From the newest to the oldest, because a successful lookup keeps an entry and may remove
    // older ones.
    for (let index = 999; index >= 0; index -= 1)
      held += map.get(`k${index}`) === undefined ? 0 : 1;
    assert.ok(held <= 10, `${held} of 10`);
  });

  it("keeps what is used while others pass by", () => {
    const map = new RecentMap<number>(10);
    map.set("mine", 1);
    for (let index = 0; index < 1_000; index += 1) {
      map.set(`k${index}`, index);
      assert.equal(map.get("mine"), 1);
    }
  });
});
