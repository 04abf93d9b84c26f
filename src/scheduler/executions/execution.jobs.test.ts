import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { startApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { correctSchedules } from "../schedule.jobs.ts";
import { purgeExecutionsJob } from "./execution.jobs.ts";

const time = { now: Date.parse("2026-06-01T12:00:30Z") };
const clock = { now: () => new Date(time.now) };
const api = await startApi({ after }, { clock });
const key = api.operatorKey;
const { signal } = new AbortController();

/** An execution with a log, and a file of so many parts, that was made long ago. */
async function insertOld(tenantId: string, parts: number): Promise<void> {
  await api.sql(
    `insert into task_execution (tenant_id, id, task_id, kind, settings, time_limit_seconds, status,
                                 trigger, created_at, created_by, file_name, file_bytes, has_parts)
     values ($1, 'exe_00000001', 'it', 'export', '{}', 60, 'succeeded', 'manual', now(), 'billfold',
             'it.csv', 4, true)`,
    [tenantId],
  );
  await api.sql(
    `insert into task_log (tenant_id, execution_id, position, time, level, message)
     values ($1, 'exe_00000001', 1, now(), 'info', 'Done.')`,
    [tenantId],
  );
  await api.sql(
    `insert into task_file_part (tenant_id, execution_id, position, keys, lines, first_key, last_key)
     select $1, 'exe_00000001', at, '{x}', '{line}', 'x', 'x' from generate_series(1, $2::int) as at`,
    [tenantId, parts],
  );
}

describe("the job execution.purge", () => {
  it("deletes old executions with their logs and files, also if those of one tenant fail", async () => {
    const tenants = ["a-broken", "big", "zebra"];
    for (const tenantId of tenants) {
      await api.seed.tenant(tenantId, {
        "tenant.yml": `name: ${tenantId}\nretention: { executionDays: 3 }\n`,
      });
      await insertOld(tenantId, tenantId === "big" ? 200 : 1);
    }
    await api.sql(`
      create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'as if'; end $$`);
    await api.sql(`
      create trigger refuse before delete on task_execution
         for each row when (old.tenant_id = 'a-broken') execute function refuse()`);
    await purgeExecutionsJob.run(systemCall(api.runtime, "execution.purge"), {}, signal);
    const left = await api.sql(
      `select tenant_id as "tenantId", file_name as "fileName" from task_execution
        union all select tenant_id, 'part' from task_file_part`,
    );
    assert.deepEqual(left, [{ tenantId: "a-broken", fileName: null }]);
    assert.ok(api.logLines.some((line) => line.includes("a batch of a tenant failed")));
  });
});

describe("the job schedule.correct", () => {
  it("brings back tasks that were planned by a clock far ahead; no time has two runs", async () => {
    const file = 'tasks:\n  - { id: it, kind: expire-passes, cron: "0 * * * *" }\n';
    await api.seed.tenant("ahead", { "server/schedule.yml": file });
    const runs = async () =>
      (await api.get("/api/ahead/scheduler/executions", { key })).body.map(
        (one: { scheduledFor: string; status: string }) => [one.status, one.scheduledFor],
      );
    const nextRun = async () =>
      (await api.sql("select next_run_at as at from scheduled_task"))[0]?.at as Date | undefined;
    await until(async () => (await nextRun()) !== undefined);
    time.now = Date.parse("2031-01-01T00:00:10Z");
    await until(async () => (await runs())[0]?.[0] === "succeeded");
    time.now = Date.parse("2026-06-01T12:59:00Z");
    assert.equal((await nextRun())?.toISOString(), "2031-01-01T01:00:00.000Z");
    const correct = () =>
      correctSchedules.run(systemCall(api.runtime, "schedule.correct"), {}, signal);
    await correct();
    assert.equal((await nextRun())?.toISOString(), "2026-06-01T13:00:00.000Z");
    time.now = Date.parse("2026-06-01T13:00:00Z");
    await until(async () => (await runs()).length === 2);
    // The clock goes back a little, as clocks do: the time that had its run is planned, but not run again.
    time.now = Date.parse("2026-06-01T12:59:59Z");
    await correct();
    time.now = Date.parse("2026-06-01T13:00:01Z");
    await until(async () => (await nextRun())?.toISOString() === "2026-06-01T14:00:00.000Z");
    assert.equal((await runs()).length, 2);
  });
});
