import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import { provide } from "#kernel/port.ts";
import { metadataSources } from "#src/passes/public.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { finishTask } from "#test/support/tasks.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { purgers } from "../kinds.port.ts";

type Work = (context: TenantContext, signal: AbortSignal) => Promise<unknown>;

/** What the task `purge` does for a tenant besides its real work: as slow or as broken as one likes. */
const works = new Map<string, Work>();
const odd = {
  name: "odd",
  async purge(context: TenantContext, signal: AbortSignal) {
    await works.get(context.tenantId)?.(context, signal);
    return 0;
  },
};
const answers = Promise.withResolvers<void>();
const slow = { name: "slow", fetch: () => answers.promise.then(() => ({ tier: "gold" })) };
const provides = [provide(purgers, odd), provide(metadataSources, slow)];
const api = await startApi({ after }, { provides });
const key = api.operatorKey;

const SCHEDULE = `tasks:
  - { id: purge, kind: purge, cron: "0 0 29 2 *" }
  - { id: refresh, kind: refresh-metadata, cron: "0 0 29 2 *" }
`;

async function seed(tenantId: string, work?: Work): Promise<string> {
  if (work !== undefined) works.set(tenantId, work);
  await api.seed.tenant(tenantId, { "server/schedule.yml": SCHEDULE });
  return `/api/${tenantId}/scheduler/purge/executions`;
}

/** Starts the task, and returns how its execution is at any time. */
async function start(path: string) {
  const { headers } = await api.post(path, { key });
  return async () => (await api.get(headers.get("location") ?? "", { key })).body;
}

/** The database fails a statement with this code. */
const raise = (state: string) =>
  sql.raw(`do $$ begin raise exception 'as if' using errcode = '${state}'; end $$`);

const failWith = (context: TenantContext, state: string) =>
  context.transaction((tx) => tx.run(raise(state)));

describe("a failure of the database", () => {
  it("is tried again: deadlocks and lost connections are no fault of a run", async () => {
    const states = ["40P01", "57P01", "08006"];
    await seed("unlucky", async (context) => {
      const state = states.shift();
      if (state !== undefined) await failWith(context, state);
    });
    const { status, attempts } = await finishTask(api, "unlucky", "purge");
    assert.deepEqual([status, attempts, states], ["succeeded", 1, []]);
  });

  it("that does not pass ends the run with a true sentence", async () => {
    const ends = [
      ["57014", "execution.database-too-slow", /took too long for one step of the run, 5 times/],
      ["55P03", "execution.database-busy", /was too busy for one step of the run, 5 times/],
      ["40001", "execution.database-busy", /was too busy for one step of the run, 5 times/],
      ["22012", "execution.unexpected", /Something unexpected happened/],
    ] as const;
    await Promise.all(
      ends.map(async ([state, code, sentence]) => {
        const tenantId = `trouble-${state.toLowerCase()}`;
        await seed(tenantId, (context) => failWith(context, state));
        const { status, attempts, problem, summary } = await finishTask(api, tenantId, "purge");
        assert.deepEqual([status, attempts, problem.code], ["failed", 1, code]);
        assert.match(summary, sentence);
        assert.equal(problem.message, summary);
      }),
    );
  });

  it("until the time limit is over is told as such, and not as a run that took too long", async () => {
    works.set("cut-off", (context) => failWith(context, "57P01"));
    const file =
      'tasks:\n  - { id: purge, kind: purge, cron: "0 0 1 1 *", timeLimitSeconds: 12 }\n';
    await api.seed.tenant("cut-off", { "server/schedule.yml": file });
    const { status, problem } = await finishTask(api, "cut-off", "purge");
    assert.deepEqual([status, problem.code], ["failed", "execution.database-unavailable"]);
  });
});

describe("a run that another process has taken over", () => {
  it("writes nothing more, and its end is not recorded", async () => {
    const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = Promise.withResolvers<unknown>();
    const path = await seed("slept", async (context) => {
      works.delete("slept");
      reached.resolve();
      await goOn.promise;
      const written = context.transaction((tx) =>
        tx.run(sql`update task_execution set created_by = 'zombie' where tenant_id = 'slept'`),
      );
      late.resolve(
        await written.then(
          () => "written",
          (error: unknown) => error,
        ),
      );
      await written;
    });
    const read = await start(path);
    await reached.promise;
    await api.sql("update task_execution set claim = gen_random_uuid() where tenant_id = 'slept'");
    goOn.resolve();
    assert.ok((await late.promise) instanceof Error);
    const left = await read();
    assert.deepEqual([left.status, left.createdBy === "zombie"], ["running", false]);
    await api.sql("update task_execution set claimed_until = now() where tenant_id = 'slept'");
    await until(async () => (await read()).status === "succeeded");
    assert.equal((await read()).attempts, 2);
    const told = await api.sql(
      "select from event where tenant_id = 'slept' and name like 'task.%'",
    );
    assert.equal(told.length, 1);
  });

  it("queues a refresh once, however early its process died", async () => {
    await seedPassTenant(api, "once", { "server/schedule.yml": SCHEDULE });
    await seedPass(api, "once");
    const read = await start("/api/once/scheduler/refresh/executions");
    const jobs = () => api.sql("select state from job where tenant_id = 'once'");
    await until(async () => (await jobs()).length === 1);
    // As if the process had died before it could note anything about the job.
    await api.sql(
      `update task_execution
          set progress = null, claim = gen_random_uuid(), claimed_until = now()
        where tenant_id = 'once'`,
    );
    await until(async () => (await read()).attempts === 2);
    answers.resolve();
    await until(async () => (await read()).status === "succeeded");
    assert.deepEqual(await jobs(), [{ state: "completed" }]);
    assert.deepEqual((await read()).counts, { updated: 1, unchanged: 0, failed: 0 });
  });
});

describe("a run that is ended", () => {
  it("by the time that passed since its process died says so", async () => {
    const gate = Promise.withResolvers<void>();
    const path = await seed("forgotten", () => gate.promise);
    const read = await start(path);
    await until(async () => (await read()).attempts === 1);
    await api.sql(
      `update task_execution
          set claim = gen_random_uuid(), claimed_until = now(),
              started_at = started_at - interval '2 hours'
        where tenant_id = 'forgotten'`,
    );
    await until(async () => (await read()).status === "failed");
    const { problem } = await read();
    assert.equal(problem.code, "execution.time-limit");
    assert.match(problem.message, /was interrupted, and its limit of 3600 seconds was over/);
    gate.resolve();
  });

  it("with its tenant stops working within the third of a lease, and says why it failed", async () => {
    const [began, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const path = await seed("gone", async (_context, signal) => {
      signal.addEventListener("abort", () => stopped.resolve());
      began.resolve();
      await stopped.promise;
    });
    await start(path);
    await began.promise;
    assert.equal((await api.delete("/api/tenants/gone", { key })).status, 204);
    const [row] = await api.sql(
      "select status, summary, problem from task_execution where tenant_id = 'gone'",
    );
    assert.partialDeepStrictEqual(row, {
      status: "failed",
      summary: "The tenant was deleted while the task was running.",
      problem: { code: "execution.tenant-deleted" },
    });
    await stopped.promise;
  });
});
