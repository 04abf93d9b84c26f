import assert from "node:assert/strict";
import { describe, it } from "node:test";
import Type from "typebox";
import { lendDatabase, originOf } from "#test/support/kernel.ts";
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
const thingMoved = defineEvent({
  name: "thing.*.moved",
  version: 1,
  summary: "A thing is at another place.",
  payload: Type.Object({ n: Type.Integer(), to: Type.String() }),
  example: { n: 1, to: "attic" },
});
const thingLost = defineEvent({
  name: "thing.lost",
  version: 1,
  summary: "A thing was lost.",
  payload: Type.Object({ since: Type.String() }),
  example: { since: "2026-01-31T09:30:00.000Z" },
});

async function openWith(t: Parameters<typeof lendDatabase>[0], listener: Listener) {
  const db = (await lendDatabase(t)).open();
  db.addCommitStep(createOutbox([listener]));
  return db;
}

/** One event of each kind, in one transaction. */
const happen = (db: Database) =>
  db.transaction(originOf("acme"), async (tx) => {
    tx.emit(thingMade, { n: 1 }, { subject: "thing-1" });
    tx.emit(thingMoved, { n: 1, to: "attic" }, { name: "thing.1.moved" });
    tx.emit(thingLost, { since: "today" });
  });

describe("a listener", { concurrency: 4 }, () => {
  it("of one definition hears its events alone, with the data of that definition", async (t) => {
    const heard: number[] = [];
    const listener = listen(thingMade, async (_, events) => {
      for (const { data } of events) {
        heard.push(data.n);
        // @ts-expect-error: only things that moved have a place.
        assert.equal(data.to, undefined);
      }
    });
    await happen(await openWith(t, listener));
    assert.deepEqual(heard, [1]);
  });

  it("hears an event whose name was filled in, for its definition is the same", async (t) => {
    const heard: string[] = [];
    const listener = listen(thingMoved, async (_, events) => {
      for (const { name, data } of events) heard.push(`${name} to ${data.to}`);
    });
    await happen(await openWith(t, listener));
    assert.deepEqual(heard, ["thing.1.moved to attic"]);
  });

  it("of several definitions hears them in order, with what their data have in common", async (t) => {
    const heard: [string, number][] = [];
    const listener = listen([thingMade, thingMoved], async (_, events) => {
      for (const { name, data } of events) heard.push([name, data.n]);
      // @ts-expect-error: `to` is in the data of one of the two definitions alone.
      for (const { data } of events) void data.to;
    });
    await happen(await openWith(t, listener));
    assert.deepEqual(heard, [
      ["thing.made", 1],
      ["thing.1.moved", 1],
    ]);
  });

  it("of everything hears every event once, and knows nothing of its data", async (t) => {
    const heard: unknown[] = [];
    const listener = listenToEverything(async (_, events) => {
      for (const { definition, subject } of events) heard.push([definition, subject]);
      // @ts-expect-error: the data of an event of any kind can be anything.
      for (const { data } of events) void data.n;
    });
    await happen(await openWith(t, listener));
    assert.deepEqual(heard, [
      [thingMade, "thing-1"],
      [thingMoved, undefined],
      [thingLost, undefined],
    ]);
  });

  it("is not called for a transaction without events of its definitions", async (t) => {
    let count = 0;
    const listener = listen(thingLost, async () => {
      count += 1;
    });
    const db = await openWith(t, listener);
    await db.transaction(originOf("acme"), async (tx) => tx.emit(thingMade, { n: 1 }));
    assert.equal(count, 0);
    await happen(db);
    assert.equal(count, 1);
  });

  it("cannot be made for the name of an event", () => {
    // @ts-expect-error: a name tells nothing of the data, and can be misspelt.
    void listen("thing.made", async () => undefined);
  });
});
