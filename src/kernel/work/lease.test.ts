import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Change, gate, LEASE_SECONDS, SWEEP_MS, stage } from "#test/support/work-stage.ts";
import type { Lease } from "./lease.ts";

describe("the lease of a batch", () => {
  it("is renewed for as long as the batch goes on, so nobody else claims it", async () => {
    const { clock, queue, start } = stage();
    const row = queue.add("a");
    const { calls, pass } = gate();
    const slow: Change = {
      async work(batch, lease) {
        await pass();
        queue.record(batch, lease);
        return false;
      },
      renew: async (leases) => queue.renew(leases),
    };
    const [first, other] = [start(slow), start(slow)];
    await clock.advance(10 * LEASE_SECONDS * 1_000);
    assert.deepEqual([first.claimed, other.claimed], [["a"], []]);
    calls[0]?.resolve();
    await clock.settle();
    assert.equal(row.doneBy, row.token);
  });

  it("holds although a renewal fails now and then", async () => {
    const { clock, queue, start } = stage();
    queue.add("a");
    let renewals = 0;
    const { pass } = gate();
    let held: Lease | undefined;
    start({
      async work(_batch, lease) {
        held = lease;
        await pass();
        return false;
      },
      async renew(leases) {
        renewals += 1;
        if (renewals % 2 === 1) throw new Error("the database is away");
        queue.renew(leases);
      },
    });
    await clock.advance(10 * LEASE_SECONDS * 1_000);
    assert.ok(renewals > 10);
    assert.equal(held?.isOver, false);
  });

  it("holds although the first renewal after the claim fails, whenever the claim was", async () => {
    const { clock, queue, start } = stage();
    let renewals = 0;
    const { pass } = gate();
    let held: Lease | undefined;
    const { hint } = start({
      async work(_batch, lease) {
        held = lease;
        await pass();
        return false;
      },
      async renew(leases) {
        renewals += 1;
        if (renewals === 1) throw new Error("the database is away");
        queue.renew(leases);
      },
    });
    await clock.advance(200);
    queue.add("a");
    hint("a");
    await clock.advance(10 * LEASE_SECONDS * 1_000);
    assert.ok(renewals > 1);
    assert.equal(held?.isOver, false);
  });

  it("ends after a crash: what was claimed and never recorded is claimed by another", async () => {
    const { clock, queue, start } = stage();
    const row = queue.add("a");
    // The work of a process that died never ends, and its lease is not renewed.
    const dead = start({ work: () => new Promise(() => undefined) });
    await clock.advance(10);
    assert.deepEqual(dead.claimed, ["a"]);
    const other = start();
    await clock.advance(LEASE_SECONDS * 1_000 - 100);
    assert.deepEqual(other.claimed, []);
    await clock.advance(SWEEP_MS + 100);
    assert.deepEqual(other.claimed, ["a"]);
    assert.equal(row.doneBy, row.token);
  });

  it("is lost by a process that slept through it: it is told so, and records nothing", async () => {
    const { clock, queue, start } = stage();
    const row = queue.add("a");
    const { calls, pass } = gate();
    const seen: (string | undefined)[] = [];
    const { registry } = start({
      async work(batch, lease) {
        lease.signal.addEventListener("abort", () => seen.push(lease.end));
        await pass();
        if (!lease.isOver) queue.record(batch, lease);
        return false;
      },
      renew: async (leases) => queue.renew(leases),
    });
    await clock.advance(10);
    await clock.sleep(LEASE_SECONDS * 1_000);
    assert.deepEqual(seen, ["lost"]);
    assert.ok(row.claimedUntil <= clock.now(), "what was lost is not renewed");
    calls[0]?.resolve();
    await clock.settle();
    assert.equal(row.doneBy, undefined);
    assert.match(await registry.metrics(), /end="lost"\} 1/);
  });

  it("is another one by then, so what a zombie sends all the same is refused", async () => {
    const { clock, queue, start } = stage();
    const row = queue.add("a");
    const { calls, pass } = gate();
    // This worker records its result without a look at its lease.
    const zombie = start({
      async work(batch, lease) {
        await pass();
        queue.record(batch, lease);
        return false;
      },
    });
    await clock.advance(10);
    const ownToken = row.token;
    const other = start({ work: () => new Promise(() => undefined) });
    await clock.advance(LEASE_SECONDS * 1_000 + SWEEP_MS);
    assert.deepEqual([zombie.claimed, other.claimed], [["a"], ["a"]]);
    assert.notEqual(row.token, ownToken);
    calls[0]?.resolve();
    await clock.settle();
    assert.equal(row.doneBy, undefined);
  });

  it("counts from when the claim was sent, however long that had to wait for a connection", async () => {
    const { clock, queue, start } = stage();
    const row = queue.add("a");
    const { calls, pass } = gate();
    start({
      async claim(group, lease) {
        await pass();
        lease.begin();
        return queue.claim(group, lease);
      },
      async work(batch, lease) {
        if (!lease.isOver) queue.record(batch, lease);
        return false;
      },
    });
    await clock.advance(2 * LEASE_SECONDS * 1_000);
    calls[0]?.resolve();
    await clock.settle();
    assert.ok(row.doneBy !== undefined);
  });
});
