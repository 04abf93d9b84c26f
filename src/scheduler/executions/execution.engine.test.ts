import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { provide } from "#kernel/port.ts";
import { metadataSources } from "#src/passes/public.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

/** What the service takes for now. It goes on when a test says so. */
const time = { now: Date.parse("2026-06-01T12:00:30Z") };
const clock = { now: () => new Date(time.now) };
/** A source of metadata that answers when a test lets it: a run that takes as long as one likes. */
const gate = Promise.withResolvers<void>();
let held: Promise<void> | undefined = gate.promise;
const slow = {
  name: "slow",
  async fetch() {
    await held;
    return { at: time.now };
  },
};
const provides = [provide(metadataSources, slow)];

const api = await startApi({ after }, { clock, provides });
const key = api.operatorKey;

type Shown = {
  readonly executionId: string;
  readonly status: string;
  readonly trigger: string;
  readonly scheduledFor: string | null;
  readonly attempts: number;
  readonly problem: { readonly code: string } | null;
};

async function executionsOf(tenantId: string, node: TestApi = api): Promise<Shown[]> {
  return (await node.get(`/api/${tenantId}/scheduler/executions`, { key })).body;
}

const facts = (executions: readonly Shown[]) =>
  executions.map(({ status, trigger, scheduledFor }) => [
    status,
    trigger,
    scheduledFor?.slice(11, 16),
  ]);

/** Waits until the newest executions are as wanted. */
async function untilFacts(tenantId: string, wanted: unknown[]): Promise<void> {
  let last: unknown;
  await until(
    async () => {
      last = facts(await executionsOf(tenantId));
      return JSON.stringify(last) === JSON.stringify(wanted);
    },
    () => JSON.stringify(last),
  );
}

async function schedule(tenantId: string, task: string): Promise<void> {
  await seedPassTenant(api, tenantId, { "server/schedule.yml": `tasks:\n  - { ${task} }\n` });
  const stale = "select from schedule where tenant_id = $1 and planned_version = published_version";
  await until(async () => (await api.sql(stale, [tenantId])).length > 0);
}

describe("the time of a task", () => {
  it("is kept; times that passed unnoticed have one run together, told apart as missed", async () => {
    await schedule("sleepy", 'id: hourly, kind: expire-passes, cron: "0 * * * *"');
    time.now = Date.parse("2026-06-01T13:00:05Z");
    await untilFacts("sleepy", [["succeeded", "schedule", "13:00"]]);
    time.now = Date.parse("2026-06-01T17:20:00Z");
    const missed = ["succeeded", "missed", "17:00"];
    await untilFacts("sleepy", [missed, ["succeeded", "schedule", "13:00"]]);
    time.now = Date.parse("2026-06-01T18:00:00Z");
    await untilFacts("sleepy", [
      ["succeeded", "schedule", "18:00"],
      missed,
      ["succeeded", "schedule", "13:00"],
    ]);
  });

  it("is not run twice when the clock goes back", async () => {
    const before = await executionsOf("sleepy");
    time.now = Date.parse("2026-06-01T17:59:00Z");
    const next = (await api.get("/api/sleepy/scheduler", { key })).body[0].nextRunAt;
    assert.equal(next, "2026-06-01T18:00:00.000Z");
    time.now = Date.parse("2026-06-01T18:00:30Z");
    await schedule("witness", 'id: soon, kind: expire-passes, cron: "1 18 * * *"');
    time.now = Date.parse("2026-06-01T18:01:00Z");
    await untilFacts("witness", [["succeeded", "schedule", "18:01"]]);
    assert.deepEqual(await executionsOf("sleepy"), before);
  });

  it("follows a file that changes it, and ends when the task is disabled or removed", async () => {
    await schedule("fickle", 'id: it, kind: expire-passes, cron: "30 18 * * *"');
    await schedule("fickle", 'id: it, kind: expire-passes, cron: "40 18 * * *"');
    await schedule("quiet", 'id: it, kind: expire-passes, cron: "40 18 * * *", enabled: false');
    time.now = Date.parse("2026-06-01T18:40:00Z");
    await untilFacts("fickle", [["succeeded", "schedule", "18:40"]]);
    assert.deepEqual(await executionsOf("quiet"), []);
  });

  it("that was due before its file changed is kept; one that the change came before is not", async (t) => {
    const first = await startApi(t, { env: { ROLES: "api" }, clock });
    const publish = async (tenantId: string, cron: string) =>
      await first.seed.tenant(tenantId, {
        "server/schedule.yml": `tasks:\n  - { id: it, kind: expire-passes, cron: "${cron}" }\n`,
      });
    time.now = Date.parse("2026-06-01T18:44:00Z");
    await publish("early", "45 18 * * *");
    await publish("late", "45 18 * * *");
    const worker = await first.node({ ROLES: "worker" }, { clock });
    const stale = "select from schedule where planned_version < published_version";
    await until(async () => (await first.sql(stale)).length === 0);
    await worker.application.stop();
    await publish("early", "50 18 * * *");
    time.now = Date.parse("2026-06-01T18:45:01Z");
    await publish("late", "50 18 * * *");
    time.now = Date.parse("2026-06-01T18:45:02Z");
    await first.node({ ROLES: "worker" }, { clock });
    await until(async () => (await executionsOf("late", first))[0]?.status === "succeeded");
    assert.deepEqual(facts(await executionsOf("late", first)), [
      ["succeeded", "schedule", "18:45"],
    ]);
    assert.deepEqual(await executionsOf("early", first), []);
    const next = await first.sql("select distinct next_run_at as at from scheduled_task");
    assert.deepEqual(next, [{ at: new Date("2026-06-01T18:50:00Z") }]);
  });

  it("that a process cannot work out keeps no other task of the tenant from its own", async () => {
    const line = (id: string) => `  - { id: ${id}, kind: expire-passes, cron: "47 18 * * *" }\n`;
    const file = `tasks:\n${line("odd")}${line("fine")}`;
    await seedPassTenant(api, "newer", { "server/schedule.yml": file });
    const planned = "select from scheduled_task where tenant_id = 'newer'";
    await until(async () => (await api.sql(planned)).length === 2);
    await api.sql("update scheduled_task set time_zone = 'Mars/Base' where task_id = 'odd'");
    time.now = Date.parse("2026-06-01T18:47:00Z");
    await untilFacts("newer", [["succeeded", "schedule", "18:47"]]);
    assert.ok(api.logLines.some((text) => text.includes("a task cannot be planned")));
    await api.sql("delete from scheduled_task where task_id = 'odd'");
  });

  it("is the tenant's own: another zone in tenant.yml is another time", async () => {
    await schedule("moving", 'id: it, kind: expire-passes, cron: "50 18 * * *"');
    const body = { files: { "tenant.yml": "name: moving\ntimeZone: Asia/Kolkata\n" } };
    await api.patch("/api/tenants/moving", { key, body });
    const { nextRunAt } = (await api.get("/api/moving/scheduler", { key })).body[0];
    assert.equal(nextRunAt, "2026-06-02T13:20:00.000Z");
    const planned = "select from scheduled_task where tenant_id = 'moving' and next_run_at = $1";
    await until(async () => (await api.sql(planned, [nextRunAt])).length === 1);
  });
});

describe("a run", () => {
  it("never overlaps the next one of its task, which follows when it has ended", async () => {
    await schedule("busy", 'id: long, kind: refresh-metadata, cron: "* * * * *"');
    await seedPass(api, "busy");
    time.now = Date.parse("2026-06-01T19:01:00Z");
    const running = ["running", "missed", "19:01"];
    await until(async () => (await executionsOf("busy")).length === 1);
    const [first] = facts(await executionsOf("busy"));
    assert.equal(first?.[0], "running");
    time.now = Date.parse("2026-06-01T19:04:00Z");
    const { status, body } = await api.post("/api/busy/scheduler/long/executions", { key });
    assert.deepEqual([status, body.code], [409, "task.running"]);
    assert.equal((await executionsOf("busy")).length, 1);
    held = undefined;
    gate.resolve();
    await untilFacts("busy", [
      ["succeeded", "missed", "19:04"],
      ["succeeded", running[1], "19:01"],
    ]);
  });

  it("is ended as failed when its time limit is over", async () => {
    const stuck = Promise.withResolvers<void>();
    held = stuck.promise;
    const task = "id: late, kind: refresh-metadata, cron: '0 0 1 1 *', timeLimitSeconds: 1";
    await schedule("late", task);
    await seedPass(api, "late");
    await api.post("/api/late/scheduler/late/executions", { key });
    await until(async () => (await executionsOf("late"))[0]?.status === "failed");
    const [execution] = await executionsOf("late");
    assert.equal(execution?.problem?.code, "execution.time-limit");
    // Nobody waits for it any more, so what it queued has ended too.
    const jobs = await api.sql("select state from job where tenant_id = 'late'");
    assert.deepEqual(jobs, [{ state: "cancelled" }]);
    held = undefined;
    stuck.resolve();
  });

  it("that is cut short by a stop goes on in another process, and counts as one attempt", async (t) => {
    const first = await startApi(t, { env: { ROLES: "api" }, provides });
    const waiting = Promise.withResolvers<void>();
    held = waiting.promise;
    const file = 'tasks:\n  - { id: it, kind: refresh-metadata, cron: "0 0 1 1 *" }\n';
    await seedPassTenant(first, "stopped", { "server/schedule.yml": file });
    await seedPass(first, "stopped");
    const worker = await first.node({ ROLES: "worker" }, { provides });
    await first.post("/api/stopped/scheduler/it/executions", { key });
    const isStarted = async () => (await executionsOf("stopped", first))[0]?.attempts === 1;
    await until(isStarted);
    await worker.application.stop();
    const [left] = await executionsOf("stopped", first);
    assert.deepEqual([left?.status, left?.attempts], ["running", 0]);
    held = undefined;
    waiting.resolve();
    await first.node({ ROLES: "worker" }, { provides });
    const isDone = async () => (await executionsOf("stopped", first))[0]?.status === "succeeded";
    // The question that the first process had asked may be asked again after half a minute only.
    await until(isDone, undefined, 60_000);
    const [ended] = await executionsOf("stopped", first);
    assert.equal(ended?.attempts, 1);
    // The queue got one job of passes to ask about, and the second process followed that one.
    const jobs = await first.sql("select from job where tenant_id = 'stopped'");
    assert.equal(jobs.length, 1);
  });

  it("whose tenant ends, ends with it", async (t) => {
    const none = await startApi(t, { env: { ROLES: "api" } });
    const file = 'tasks:\n  - { id: it, kind: purge, cron: "* * * * *" }\n';
    await none.seed.tenant("ended", { "server/schedule.yml": file });
    await none.post("/api/ended/scheduler/it/executions", { key });
    assert.equal((await none.delete("/api/tenants/ended", { key })).status, 204);
    const left = await none.sql(
      `select status from task_execution union all select 'due' from schedule
        union all select 'due' from scheduled_task`,
    );
    assert.deepEqual(
      left.filter(({ status }) => status !== "failed"),
      [],
    );
  });
});
