import assert from "node:assert/strict";
import { it } from "node:test";
import { createDatabase } from "#test/support/server.ts";
import { runMovementCrash } from "./movement-crash.ts";

const ROUNDS = 50;

it("every acknowledged movement is there once, with one event and right sums, after 50 kills", async (t) => {
  const database = await createDatabase();
  t.after(() => database.drop());
  const { faults, ...counts } = await runMovementCrash(ROUNDS, database.url);

  t.diagnostic(JSON.stringify(counts));
  assert.deepEqual(faults, []);
  assert.ok(counts.acknowledged > ROUNDS);
  assert.ok(counts.unknown > 0, "some kills came between a request and its answer");
});
