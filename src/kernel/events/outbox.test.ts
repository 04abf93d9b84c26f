import assert from "node:assert/strict";
import { describe, it } from "node:test";
import Type from "typebox";
import { type LentDatabase, lendDatabase, originOf } from "#test/support/kernel.ts";
import { writeAudit } from "../audit.ts";
import type { Database } from "../db/database.ts";
import { defineEvent } from "./define.ts";
import { type Listener, listen, listenToEverything } from "./listen.ts";
import { createOutbox } from "./outbox.ts";

const thingMade = defineEvent({
  name: "thing.made",
  version: 1,
  summary: "A thing was made.",
  payload: Type.Object({ n: Type.Integer() }),
  example: { n: 1 },
});
const thingCounted = { ...thingMade, name: "thing.counted" };
const thingLost = { ...thingMade, name: "thing.lost" };

function open(database: LentDatabase, listeners: readonly Listener[]): Database {
  const db = database.open();
  db.addCommitStep(createOutbox(listeners));
  db.addCommitStep(writeAudit);
  return db;
}

const events = (database: LentDatabase) =>
  database.sql("select tenant_id, name, data, previous from event order by sequence");
const targets = (database: LentDatabase) =>
  database.sql("select tenant_id, target, actor_id, op from audit");

describe("the outbox", { concurrency: 4 }, () => {
  it("events and audit rows exist once their transaction has committed", async (t) => {
    const database = await lendDatabase(t);
    const db = open(database, []);
    await db.transaction(originOf("acme"), async (tx) => {
      tx.emit(thingMade, { n: 1 }, { previous: { n: 0 } });
      tx.emit(thingMade, { n: 2 });
      tx.audit({ target: "thing:1" });
      assert.deepEqual(await events(database), [], "nobody sees them before");
    });
    const event = { tenant_id: "acme", name: "thing.made" };
    assert.deepEqual(await events(database), [
      { ...event, data: { n: 1 }, previous: { n: 0 } },
      { ...event, data: { n: 2 }, previous: null },
    ]);
    const audit = { tenant_id: "acme", target: "thing:1", actor_id: "operator", op: "test.run" };
    assert.deepEqual(await targets(database), [audit]);
  });

  it("a rolled-back transaction leaves neither events nor audit rows", async (t) => {
    const database = await lendDatabase(t);
    const db = open(database, []);
    let committed = false;
    await assert.rejects(
      db.transaction(originOf("acme"), async (tx) => {
        tx.emit(thingMade, { n: 1 });
        tx.audit({ target: "thing:1" });
        tx.afterCommit(() => {
          committed = true;
        });
        throw new Error("changed my mind");
      }),
      /changed my mind/,
    );
    assert.deepEqual(await events(database), []);
    assert.deepEqual(await targets(database), []);
    assert.equal(committed, false);
  });

  it("a listener that fails takes the change and its event with it", async (t) => {
    const database = await lendDatabase(t);
    const object = listen(thingMade, () => Promise.reject(new Error("I object")));
    const db = open(database, [object]);
    await assert.rejects(
      db.transaction(originOf("acme"), async (tx) => tx.emit(thingMade, { n: 1 })),
      /I object/,
    );
    assert.deepEqual(await events(database), []);
  });

  it("listeners hear what they asked for, inside the same transaction, and may emit", async (t) => {
    const database = await lendDatabase(t);
    const heard: string[] = [];
    const note = (who: string, batch: readonly { readonly name: string }[]) =>
      heard.push(`${who}: ${batch.map(({ name }) => name).join()}`);
    const db = open(database, [
      listenToEverything(async (_, batch) => void note("all", batch)),
      listen(thingMade, async (tx, batch) => {
        note("made", batch);
        const { rows } = await tx.runText("select count(*)::int as count from event", []);
        tx.emit(thingCounted, { n: (rows[0] as { count: number }).count });
      }),
      listen([thingMade, thingCounted], async (_, batch) => void note("both", batch)),
      listen(thingLost, async (_, batch) => void note("lost", batch)),
    ]);
    await db.transaction(originOf("acme"), async (tx) => {
      tx.emit(thingMade, { n: 1 });
      tx.emit(thingMade, { n: 2 });
    });
    assert.deepEqual(heard, [
      "all: thing.made,thing.made",
      "made: thing.made,thing.made",
      "both: thing.made,thing.made",
      "all: thing.counted",
      "both: thing.counted",
    ]);
    const [last] = (await events(database)).slice(-1);
    assert.deepEqual([last?.name, last?.data], ["thing.counted", { n: 2 }]);
  });

  it("a circle of listeners fails the transaction instead of running for ever", async (t) => {
    const database = await lendDatabase(t);
    const echo = listen(thingMade, async (tx) => void tx.emit(thingMade, { n: 1 }));
    const db = open(database, [echo]);
    await assert.rejects(
      db.transaction(originOf("acme"), async (tx) => tx.emit(thingMade, { n: 1 })),
      /keep emitting/,
    );
    assert.deepEqual(await events(database), []);
  });
});
