import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { collectLog, lendDatabase } from "#test/support/kernel.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { createConsumer, ListenedClient } from "./job-boss.ts";

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
    await until(
      () => lines.some(({ queue }) => queue === "thing.do"),
      () => JSON.stringify(lines),
      10_000,
    );
    const { err } = lines.find(({ queue }) => queue === "thing.do") as {
      err: Record<string, string>;
    };

    assert.match(err.message ?? "", /relation .* does not exist/);
    assert.equal(err.code, "42P01");
    assert.match(err.stack ?? "", /pg-boss/);
  });
});

describe("a connection of the job queue that the server ends between two statements", () => {
  it("does not end the process; its next statement fails", { timeout: 20_000 }, async (t) => {
    const { connection, sql } = await lendDatabase(t);
    const client = new ListenedClient(connection);
    await client.connect();
    const { rows } = await client.query("select pg_backend_pid() as pid");
    const ended = new Promise((resolve) => client.once("end", resolve));
    await sql("select pg_terminate_backend($1)", [rows[0].pid]);
    await ended;
    await assert.rejects(client.query("select 1"), /not queryable|ended|terminated/);
  });
});
