import assert from "node:assert/strict";
import { describe, it } from "node:test";
import Type from "typebox";
import { holdCommit, untilTaken } from "#test/support/hold-commit.ts";
import { collectLog, lendDatabase, originOf, wireJobs } from "#test/support/kernel.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { sql } from "../db/sql.ts";
import { defineJob, type JobDefinition } from "./define.ts";

type Owner = Parameters<typeof lendDatabase>[0];

async function start(owner: Owner, definition: JobDefinition) {
  const { log } = collectLog();
  const database = await lendDatabase(owner);
  const db = database.open(4, log);
  const jobs = await wireJobs(database.connection, db, [definition], log);
  database.undoLater(() => jobs.stop());
  await database.addTenant("acme");
  const starts = async () =>
    (
      await database.sql(
        "select distinct start_after as at from pgboss.job where name = $1 order by 1",
        [definition.name],
      )
    ).map(({ at }) => (at as Date).toISOString());
  return { database, db, jobs, starts };
}

describe("the key of a job", () => {
  it("stands for a run that begins after the commit of everyone who enqueued it", async (t) => {
    const runs: unknown[][] = [];
    const job = defineJob({
      name: "fact.read",
      payload: Type.Object({}),
      async run(context) {
        runs.push(await context.read(sql`select n from fact order by n`));
      },
    });
    const { database, db, jobs } = await start(t, job);
    await database.sql("create table fact (n integer)");
    await database.sql("grant select, insert on fact to billfold_app");
    const write = (n: number) =>
      db.transaction(originOf("acme"), async (tx) => {
        tx.defer(sql`insert into fact values (${n})`);
        tx.enqueue(job, {}, { singletonKey: "facts" });
      });
    await write(1);
    const held = holdCommit(db, () => true);
    const second = write(2);
    await held.reached;
    await jobs.startWorkers();
    await untilTaken(database, job.name);
    held.release();
    await second;
    await until(() => runs.some((facts) => facts.length === 2));
    const rows = await database.sql("select from pgboss.job where name = $1", [job.name]);
    assert.deepEqual([runs.length, rows.length], [1, 1], "one run serves both");
  });

  it("belongs to a minute: a job that waits for another time stands for nothing", async (t) => {
    const job = defineJob({
      name: "thing.do",
      payload: Type.Object({}),
      run: async () => undefined,
    });
    const { database, db, starts } = await start(t, job);
    const enqueue = (...times: readonly string[]) =>
      db.transaction(originOf("acme"), async (tx) => {
        for (const time of times) {
          const startAfter = new Date(`2099-01-01T${time}Z`);
          tx.enqueue(job, {}, { singletonKey: "k", startAfter });
        }
      });
    await enqueue("12:00:00.001");
    await enqueue("12:01:00.000", "11:59:30.000");
    await enqueue("12:02:30.000", "12:02:01.000");
    const rows = await database.sql("select from pgboss.job where name = $1", [job.name]);
    assert.equal(rows.length, 3);
    assert.deepEqual(await starts(), [
      "2099-01-01T12:00:00.000Z",
      "2099-01-01T12:01:00.000Z",
      "2099-01-01T12:03:00.000Z",
    ]);
  });
});
