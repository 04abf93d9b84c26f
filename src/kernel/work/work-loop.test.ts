import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gate, LEASE_SECONDS, SWEEP_MS, stage } from "#test/support/work-stage.ts";

describe("when the loop works", () => {
  it("at once when a hint comes, and once for many hints together", async () => {
    const { clock, queue, start } = stage();
    let asked = 0;
    const { hint, claimed } = start({
      async claim(group, lease) {
        asked += 1;
        const batch = queue.claim(group, lease);
        claimed.push(group);
        return batch;
      },
    });
    await clock.advance(10);
    const row = queue.add("a");
    for (let count = 0; count < 5; count += 1) hint("a");
    await clock.settle();
    assert.ok(row.doneBy !== undefined);
    assert.deepEqual([claimed, asked], [["a"], 1]);
  });

  it("when something becomes due, and not before", async () => {
    const { clock, queue, start } = stage();
    const { hint } = start({ sweepMs: 1e9 });
    await clock.advance(10);
    const row = queue.add("a", 4_321);
    hint("a");
    await clock.advance(4_300);
    assert.equal(row.doneBy, undefined);
    await clock.advance(11);
    assert.ok(row.doneBy !== undefined);
  });

  it("by the next sweep when a hint was lost, and at once when signals had a gap", async () => {
    const { clock, queue, start } = stage();
    const { gap } = start();
    await clock.advance(10);
    const [swept, found] = [queue.add("a"), queue.add("b")];
    await clock.advance(SWEEP_MS);
    assert.ok(swept.doneBy !== undefined && found.doneBy !== undefined);
    const missed = queue.add("a");
    gap();
    await clock.advance(0);
    assert.ok(missed.doneBy !== undefined);
  });

  it("sooner than the sweep when somebody wishes it, and no later for a second wish", async () => {
    const { clock, queue, start } = stage();
    const { loop } = start();
    await clock.advance(10);
    const row = queue.add("a");
    loop.sweepIn(20);
    loop.sweepIn(400);
    await clock.advance(20);
    assert.ok(row.doneBy !== undefined);
  });

  it("again after a claim that failed: after a rest, while others go on", async () => {
    const { clock, queue, start } = stage();
    const [bad, good] = [queue.add("bad"), queue.add("good")];
    const triedAt: number[] = [];
    const { lines } = start({
      sweepMs: 1e9,
      async claim(group, lease) {
        if (group === "bad") triedAt.push(clock.now());
        if (group === "bad" && triedAt.length <= 3) throw new Error("the database is away");
        const batch = queue.claim(group, lease);
        return batch.rows.length === 0 ? undefined : batch;
      },
    });
    await clock.advance(50);
    assert.ok(good.doneBy !== undefined);
    await clock.advance(1_000);
    assert.deepEqual(triedAt, [0, 100, 300, 700]);
    assert.ok(bad.doneBy !== undefined);
    assert.deepEqual(
      lines.map(({ work, group }) => [work, group]),
      Array(3).fill(["test.work", "bad"]),
    );
  });

  it("also after a sweep that failed", async () => {
    const { clock, queue, start } = stage();
    let sweeps = 0;
    start({
      async sweep() {
        sweeps += 1;
        if (sweeps < 3) throw new Error("the database is away");
        return ["a"];
      },
    });
    const row = queue.add("a");
    await clock.advance(2 * SWEEP_MS);
    assert.deepEqual([sweeps, row.doneBy !== undefined], [3, true]);
  });
});

describe("batches", () => {
  it("of one group never go on at once, and groups take turns", async () => {
    const { clock, queue, start } = stage();
    for (const group of ["big", "big", "big", "small"]) queue.add(group);
    const { calls, pass } = gate();
    const { hint, claimed } = start({
      groupsAtOnceMax: 1,
      async work(batch, lease) {
        await pass();
        queue.record(batch, lease);
        return batch.hasMore;
      },
    });
    await clock.advance(10);
    for (let count = 0; count < 4; count += 1) {
      hint("big");
      await clock.settle();
      assert.equal(calls.length, count + 1);
      calls[count]?.resolve();
      await clock.settle();
    }
    assert.deepEqual(claimed, ["big", "small", "big", "big"]);
  });

  it("overlap where the worker says so: the next is claimed while others go on, until there is no room", async () => {
    const { clock, queue, start } = stage();
    for (let count = 0; count < 5; count += 1) queue.add("all");
    const { calls, pass } = gate();
    let going = 0;
    let claimsAtOnce = 0;
    const { loop, claimed } = start({
      batchesOverlap: true,
      async claim(group, lease) {
        if (going === 3) return undefined;
        claimsAtOnce += 1;
        assert.equal(claimsAtOnce, 1);
        await clock.settle();
        claimsAtOnce -= 1;
        const batch = queue.claim(group, lease);
        if (batch.rows.length === 0) return undefined;
        claimed.push(group);
        going += 1;
        return batch;
      },
      async work(batch, lease) {
        await pass();
        queue.record(batch, lease);
        going -= 1;
        loop.wake("all");
        return false;
      },
    });
    for (let turn = 0; turn < 10; turn += 1) await clock.advance(1);
    assert.deepEqual([claimed.length, going], [3, 3]);
    for (const { resolve } of calls.slice()) resolve();
    for (let turn = 0; turn < 10; turn += 1) await clock.advance(1);
    assert.deepEqual([claimed.length, going], [5, 2]);
  });

  it("are counted by how they ended", async () => {
    const { clock, queue, start } = stage();
    queue.add("a");
    const { registry } = start();
    await clock.advance(10);
    const text = await registry.metrics();
    assert.match(text, /billfold_work_batches_total\{work="test\.work",end="done"\} 1/);
  });
});

describe("a stop", () => {
  it("lets the batch under way end, renews its lease meanwhile, and claims nothing more", async () => {
    const { clock, queue, start } = stage();
    const rows = [queue.add("a"), queue.add("a"), queue.add("a")];
    const { calls, pass } = gate();
    const { loop, hint, claimed } = start({
      finishMs: 100_000,
      async work(batch, lease) {
        await pass();
        if (!lease.isOver) queue.record(batch, lease);
        return batch.hasMore;
      },
      renew: async (leases) => queue.renew(leases),
    });
    await clock.advance(10);
    let isStopped = false;
    const stopped = loop.stop().then(() => {
      isStopped = true;
    });
    hint("a");
    await clock.advance(2 * LEASE_SECONDS * 1_000);
    assert.equal(isStopped, false);
    calls[0]?.resolve();
    await stopped;
    await clock.advance(10 * SWEEP_MS);
    assert.deepEqual(claimed, ["a"]);
    assert.deepEqual(
      rows.map(({ doneBy }) => doneBy !== undefined),
      [true, false, false],
    );
  });

  it("tells batches to end when their time is over, and waits for those that do", async () => {
    const { clock, queue, start } = stage();
    queue.add("a");
    let endedAs: string | undefined;
    const { loop } = start({
      work: (_batch, lease) =>
        new Promise((resolve) => {
          lease.signal.addEventListener("abort", () => {
            endedAs = lease.end;
            resolve(false);
          });
        }),
    });
    await clock.advance(10);
    const stopped = loop.stop();
    await clock.advance(9_999);
    assert.equal(endedAs, undefined);
    await clock.advance(1);
    await stopped;
    assert.equal(endedAs, "stopped");
  });

  it("has a deadline: what does not heed its signal is left to its lease", async () => {
    const { clock, queue, start } = stage();
    queue.add("a");
    const { loop, lines } = start({ work: () => new Promise(() => undefined) });
    await clock.advance(10);
    let isStopped = false;
    const stopped = loop.stop().then(() => {
      isStopped = true;
    });
    await clock.advance(14_999);
    assert.equal(isStopped, false);
    await clock.advance(1);
    await stopped;
    assert.match(String(lines[0]?.msg), /left to others/);
  });

  it("has a deadline also for a claim that the database does not answer", async () => {
    const { clock, start } = stage();
    const { loop } = start({ claim: () => new Promise(() => undefined) });
    loop.wake("a");
    await clock.advance(10);
    const stopped = loop.stop();
    await clock.advance(15_000);
    await stopped;
  });
});
