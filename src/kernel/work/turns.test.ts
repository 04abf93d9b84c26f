import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { Turns } from "./turns.ts";

/**
 * Serves groups in turn. `left` is the work that each group has; the turn of a group without a
 * number fails.
 */
function start(atOnceMax: number, left: Record<string, number>) {
  const turns = new Turns(atOnceMax);
  const served: string[] = [];
  const errors: string[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  const fill = (): void => {
    for (let group = turns.next(); group !== undefined; group = turns.next()) void serve(group);
  };
  const serve = async (group: string): Promise<void> => {
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    served.push(group);
    await nextTick();
    atOnce -= 1;
    const count = left[group];
    if (count === undefined) {
      errors.push(group);
      turns.fail(group, 0);
    } else {
      left[group] = count - 1;
      turns.end(group, count > 1);
    }
    fill();
  };
  const wake = (group: string): void => {
    turns.wake(group);
    fill();
  };
  const settle = async () => {
    for (let count = 0; count < 50; count += 1) await nextTick();
  };
  return { wake, served, errors, settle, most: () => mostAtOnce };
}

describe("turns", () => {
  it("go from group to group: one with much to do comes again after the others", async () => {
    const { wake, served, settle } = start(1, { big: 3, small: 1, other: 1 });
    for (const group of ["big", "small", "other"]) wake(group);
    await settle();
    assert.deepEqual(served, ["big", "small", "other", "big", "big"]);
  });

  it("are given to no more groups at once than may be, and to none twice at once", async () => {
    const { wake, settle, most, served } = start(2, { a: 1, b: 1, c: 1 });
    for (const group of ["a", "b", "c", "a", "b"]) wake(group);
    await settle();
    assert.equal(most(), 2);
    assert.deepEqual(served.toSorted(), ["a", "a", "b", "b", "c"]);
  });

  it("go on after an error", async () => {
    const { wake, served, errors, settle } = start(1, { good: 1 });
    wake("bad");
    wake("good");
    await settle();
    assert.deepEqual([served, errors.length], [["bad", "good"], 1]);
  });

  it("that fail are followed by rests that grow, which nobody cuts short", () => {
    const turns = new Turns(1);
    const rests: number[] = [];
    let now = 0;
    turns.wake("a");
    for (let count = 0; count < 7; count += 1) {
      assert.equal(turns.next(), "a");
      turns.fail("a", now);
      turns.wake("a");
      assert.equal(turns.next(), undefined);
      rests.push(turns.nextTimeAt - now);
      now = turns.nextTimeAt;
      turns.noteTime(now);
    }
    assert.deepEqual(rests, [100, 200, 400, 800, 1_000, 1_000, 1_000]);
    turns.wake("b");
    for (const group of ["a", "b"]) {
      assert.equal(turns.next(), group);
      turns.end(group, false);
    }
    assert.equal(turns.nextTimeAt, Number.POSITIVE_INFINITY, "all is well again");
  });

  it("come at the time that was said, unless something comes before", () => {
    const turns = new Turns(1);
    turns.wake("a");
    turns.next();
    turns.end("a", false, 500);
    turns.noteTime(499);
    assert.deepEqual([turns.next(), turns.nextTimeAt], [undefined, 500]);
    turns.noteTime(500);
    assert.equal(turns.next(), "a");
    turns.end("a", false);
    assert.equal(turns.nextTimeAt, Number.POSITIVE_INFINITY);
  });
});
