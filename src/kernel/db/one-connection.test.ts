import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Call } from "#kernel/call.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { collectLog, lendDatabase, originOf, testClock } from "#test/support/kernel.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { Database } from "./database.ts";
import { sql } from "./sql.ts";

const one = () => sql<{ n: number }>`select 1 as n`;
const SECOND = /test\.run asks for a second connection while it holds one/;

describe("whoever holds a connection", { concurrency: 4 }, () => {
  it("is refused a second one, however far down it asks", async (t) => {
    const db = (await lendDatabase(t)).open(4);
    const deep = async () => {
      await sleep(1);
      return await Promise.all([db.read("acme", one())]);
    };
    const inTransaction = (work: () => Promise<unknown>) =>
      db.transaction(originOf("acme"), async (tx) => {
        await tx.many(one());
        await work();
      });
    await assert.rejects(inTransaction(deep), SECOND);
    await assert.rejects(
      inTransaction(() => db.readAsSystem(one())),
      SECOND,
    );
    await assert.rejects(
      inTransaction(() => db.transaction(originOf("rival"), async () => undefined)),
      SECOND,
    );
    assert.deepEqual(await db.read("acme", one()), [{ n: 1 }]);
  });

  it("may ask again once it has given it back, also from what it left behind", async (t) => {
    const db = (await lendDatabase(t)).open(4);
    let later: Promise<unknown> = Promise.resolve();
    await db.transaction(originOf("acme"), async (tx) => {
      await tx.many(one());
      tx.afterCommit(() => {
        later = db.read("acme", one());
      });
    });
    assert.deepEqual(await later, [{ n: 1 }]);
  });

  it("is found in a request that is one transaction, before and after its first write", async (t) => {
    const db = (await lendDatabase(t)).open(4);
    const call = new Call({ db, clock: testClock } as Runtime, originOf("acme"));
    const asOne = (work: () => Promise<unknown>) =>
      call.asOneTransaction(
        async () => undefined,
        work,
        () => undefined,
      );
    await asOne(async () => {
      assert.deepEqual(await db.read("acme", one()), [{ n: 1 }]);
      await call.transaction((tx) => tx.many(one()));
      assert.deepEqual(await call.read(one()), [{ n: 1 }]);
    });
    const late = asOne(async () => {
      await call.transaction((tx) => tx.many(one()));
      await db.read("acme", one());
    });
    await assert.rejects(late, SECOND);
  });

  it("is told of in the log where it is not refused", async (t) => {
    const database = await lendDatabase(t);
    const { log, lines } = collectLog();
    const db = new Database({
      connection: database.connection,
      poolSize: 4,
      clock: testClock,
      log,
      role: "billfold_app",
    });
    database.undoLater(() => db.close());
    await db.transaction(originOf("acme"), () => db.read("acme", one()));
    const told = lines.filter(({ msg }) => msg === "a call asks for a second connection");
    assert.equal(told.length, 1);
    assert.equal(told[0]?.level, "error");
    assert.equal(told[0]?.op, "test.run");
  });
});

describe("who waits for a connection", { concurrency: 4 }, () => {
  it("waits behind its own, not behind another tenant's crowd", async (t) => {
    const db = (await lendDatabase(t)).open(4);
    const order: string[] = [];
    const work = async (tenantId: string) => {
      await db.read(tenantId, sql`select pg_sleep(0.02)`);
      order.push(tenantId);
    };
    const crowd = Array.from({ length: 40 }, () => work("acme"));
    await Promise.all([...crowd, work("rival")]);
    assert.ok(order.indexOf("rival") < 12, `rival was number ${order.indexOf("rival")}`);
  });

  it("finds one kept for it while another tenant's statements take long", async (t) => {
    const db = (await lendDatabase(t)).open(4);
    const slow = Array.from({ length: 8 }, () => db.read("acme", sql`select pg_sleep(1)`));
    await sleep(50);
    const rival = db.read("rival", one()).then(() => "rival");
    assert.equal(await Promise.race([...slow, rival]), "rival");
    await Promise.all(slow);
  });

  it("503: is told after a while that none became free, and the next ones are served", async (t) => {
    const db = (await lendDatabase(t)).open(1);
    const held = Promise.withResolvers<void>();
    const slow = db.transaction(originOf("*"), async (tx) => {
      await tx.run(one());
      await held.promise;
    });
    const startedAt = performance.now();
    const quietMs = startStopwatch();
    await assert.rejects(db.read("acme", one()), { code: "service.unavailable" });
    const waitedMs = performance.now() - startedAt;
    assert.ok(waitedMs > 3_000 && quietMs() < 4_900, `${Math.round(waitedMs)} ms`);
    held.resolve();
    await slow;
    assert.deepEqual(await db.read("acme", one()), [{ n: 1 }]);
  });
});
