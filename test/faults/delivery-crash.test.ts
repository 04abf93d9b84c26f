import assert from "node:assert/strict";
import { it } from "node:test";
import { createDatabase } from "#test/support/server.ts";
import { runDeliveryCrash, summariseDeliveries } from "./delivery-crash.ts";

it("every event arrives when the product is killed between sending and writing down", async (t) => {
  const database = await createDatabase();
  t.after(() => database.drop());
  const result = await runDeliveryCrash(3, database.url);

  t.diagnostic(summariseDeliveries(result));
  assert.deepEqual(result.lost, []);
  assert.deepEqual(result.changed, []);
  assert.ok(result.duplicates >= 1, "what was sent and not written down came again");
});
