import assert from "node:assert/strict";
import { it } from "node:test";
import { createDatabase } from "#test/support/server.ts";
import { runInboxCrash } from "./inbox-crash.ts";

it("every acknowledged delivery of a vendor has its effect exactly once when the product is killed at work on them", async (t) => {
  const [orders, kills] = [320, 2];
  const database = await createDatabase();
  t.after(() => database.drop());
  const result = await runInboxCrash(orders, kills, database.url);

  t.diagnostic(JSON.stringify(result));
  const { deliveries, atKill, counts, statuses, points } = result;
  assert.equal(atKill.length, kills);
  for (const { acknowledged, done } of atKill) {
    assert.ok(done > 0 && done < acknowledged, "it was killed with some done and some waiting");
  }
  assert.ok(result.unanswered > 0, "some were on their way");
  assert.deepEqual(statuses, { done: deliveries });
  for (const [what, count] of Object.entries(counts)) assert.equal(count, deliveries, what);
  assert.equal(points[0], points[1]);
});
