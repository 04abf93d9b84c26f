import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { FairLine } from "./fair-line.ts";

const all = () => true;

function drain<Item>(line: FairLine<Item>): Item[] {
  const order: Item[] = [];
  for (let next = line.shift(all); next !== undefined; next = line.shift(all)) {
    order.push(next.item);
  }
  return order;
}

describe("FairLine", () => {
  it("groups take turns, and within a group the first comes first", () => {
    const line = new FairLine<string>();
    for (const item of ["a1", "a2", "a3", "b1", "c1", "b2"]) line.push(item.slice(0, 1), item);
    assert.deepEqual(drain(line), ["a1", "b1", "c1", "a2", "b2", "a3"]);
    assert.equal(line.size, 0);
  });

  it("passes over a group that may not go, which keeps its turn", () => {
    const line = new FairLine<string>();
    for (const item of ["a1", "b1", "b2"]) line.push(item.slice(0, 1), item);
    assert.deepEqual(
      line.shift((group) => group !== "a"),
      { group: "b", item: "b1" },
    );
    assert.deepEqual(drain(line), ["a1", "b2"]);
  });

  it("whatever is pushed comes out once, and nobody waits longer than one turn of all groups", () => {
    const names = ["a", "b", "c", "d"];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names), { maxLength: 60 }), (pushed) => {
        const line = new FairLine<{ group: string; at: number }>();
        for (const [at, group] of pushed.entries()) line.push(group, { group, at });
        const order = drain(line);
        assert.deepEqual(
          order.map(({ at }) => at).toSorted((left, right) => left - right),
          pushed.map((_, at) => at),
        );
        for (const name of names) {
          const turns = order.flatMap(({ group }, turn) => (group === name ? [turn] : []));
          for (const [count, turn] of turns.entries()) {
            assert.ok(turn < (count + 1) * names.length, `${name} waits until turn ${turn}`);
          }
        }
      }),
    );
  });

  it("lets a group come after all others that had its turn without waiting", () => {
    const line = new FairLine<string>();
    for (const item of ["a1", "b1"]) line.push(item.slice(0, 1), item);
    line.toEnd("a");
    line.toEnd("nobody");
    assert.deepEqual(drain(line), ["b1", "a1"]);
  });

  it("gives up those that are meant and keeps the others in order", () => {
    const line = new FairLine<string>();
    for (const item of ["a1", "b1", "a2", "b2", "c1"]) line.push(item.slice(0, 1), item);
    assert.deepEqual(line.removeWhere((item) => item.endsWith("1")).toSorted(), ["a1", "b1", "c1"]);
    assert.equal(line.size, 2);
    assert.equal(line.sizeOf("c"), 0);
    assert.deepEqual(drain(line), ["a2", "b2"]);
  });
});
