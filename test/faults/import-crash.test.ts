import assert from "node:assert/strict";
import { it } from "node:test";
import { createDatabase } from "#test/support/server.ts";
import { runImportCrash } from "./import-crash.ts";

it("every row is imported exactly once when the product is killed in the middle of it", async (t) => {
  const rows = 4_000;
  const database = await createDatabase();
  t.after(() => database.drop());
  const result = await runImportCrash(rows, 2, database.url);

  t.diagnostic(JSON.stringify(result));
  assert.ok(
    result.doneAtKill.every((done) => done > 0 && done < rows),
    "it was killed in the middle",
  );
  assert.deepEqual(result.file, { status: "processed", rows, created: rows, failed: 0 });
  for (const [what, count] of Object.entries(result.counts)) assert.equal(count, rows, what);
});
