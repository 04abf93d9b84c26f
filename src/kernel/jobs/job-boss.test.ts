import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { collectLog, lendDatabase } from "#test/support/kernel.ts";
import { createConsumer } from "./job-boss.ts";

describe("an error of the job queue", () => {
  it("is logged with its reason and its queue, also when a worker meets it", async (t) => {
    const { connection, sql } = await lendDatabase(t);
    const { log, lines } = collectLog();
    const boss = createConsumer({ connection, log });
    await boss.start();
    t.after(() => boss.stop({ graceful: false }));
    await boss.createQueue("thing.do");
    // A new name for the schema takes the tables away without a lock on them: dropping them would
    // deadlock with a query that the queue has under way.
    await sql("alter schema pgboss rename to elsewhere");
    await boss.work("thing.do", { pollingIntervalSeconds: 0.5 }, async () => undefined);
    const deadline = Date.now() + 10_000;
    while (!lines.some(({ queue }) => queue === "thing.do")) {
      assert.ok(Date.now() < deadline, JSON.stringify(lines));
      await new Promise((done) => setTimeout(done, 20));
    }
    const { err } = lines.find(({ queue }) => queue === "thing.do") as {
      err: Record<string, string>;
    };

    assert.match(err.message ?? "", /relation .* does not exist/);
    assert.equal(err.code, "42P01");
    assert.match(err.stack ?? "", /pg-boss/);
  });
});
