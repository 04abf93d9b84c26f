import assert from "node:assert/strict";
import { it } from "node:test";
import { createDatabase } from "#test/support/server.ts";
import { runUpdateCrash } from "./update-crash.ts";

it("every pass is updated exactly once when the product is killed in the middle of it", async (t) => {
  const passes = 4_000;
  const database = await createDatabase();
  t.after(() => database.drop());
  const result = await runUpdateCrash(passes, 2, database.url);

  t.diagnostic(JSON.stringify(result));
  assert.ok(
    result.doneAtKill.every((done) => done > 0 && done < passes),
    "it was killed in the middle",
  );
  assert.deepEqual(result.job, { state: "completed", updated: passes, processed: passes });
  assert.deepEqual(result.versions, { "2": passes });
  assert.deepEqual(result.events, { "1": passes });
});
