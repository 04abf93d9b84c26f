import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startApi } from "#test/support/start-api.ts";
import { finishTask } from "#test/support/tasks.ts";
import { until } from "#test/support/webhook-receiver.ts";

const api = await startApi({ after });
const key = api.operatorKey;

const SCHEDULE = `tasks:
  - { id: night, kind: purge, cron: "30 3 * * *", timeZone: Europe/Berlin }
  - { id: off, kind: expire-passes, cron: "0 * * * *", enabled: false }
  - { id: files, kind: import, cron: "0 0 1 1 *" }
  - { id: classes, kind: sync-wallet-classes, cron: "0 4 * * *" }
`;
await api.seed.tenant("acme", {
  "tenant.yml": "name: Acme\ntimeZone: America/New_York\n",
  "server/schedule.yml": SCHEDULE,
  // The secret it names does not exist.
  "server/google.yml":
    'issuerId: "3388000000022000001"\nsecrets: { serviceAccount: GOOGLE-SERVICE-ACCOUNT }\n',
});
await api.seed.tenant("rival", { "server/schedule.yml": SCHEDULE });

const base = "/api/acme/scheduler";
const run = (taskId: string) => api.post(`${base}/${taskId}/executions`, { key });

const finish = (taskId: string) => finishTask(api, "acme", taskId);

describe("GET /api/:tenantId/scheduler (task.list)", () => {
  it("200: the tasks of the file, in its order, with the zone of the tenant and the next time", async () => {
    const { status, body } = await api.get(base, { key });
    assert.equal(status, 200);
    assert.deepEqual(
      body.map((task: Record<string, unknown>) => [task.taskId, task.timeZone, task.enabled]),
      [
        ["night", "Europe/Berlin", true],
        ["off", "America/New_York", false],
        ["files", "America/New_York", true],
        ["classes", "America/New_York", true],
      ],
    );
    const [night, off, files] = body;
    assert.ok(Date.parse(night.nextRunAt) > Date.now());
    assert.match(night.nextRunAt, /T0[12]:30:00\.000Z$/);
    assert.equal(off.nextRunAt, null);
    assert.match(files.nextRunAt, /-01-01T05:00:00\.000Z$/);
    assert.deepEqual([files.lastExecution, files.timeLimitSeconds], [null, 3_600]);
  });

  it("200: nothing for a tenant without the file", async () => {
    await api.seed.tenant("bare");
    assert.deepEqual((await api.get("/api/bare/scheduler", { key })).body, []);
    assert.deepEqual((await api.get("/api/bare/scheduler/executions", { key })).body, []);
  });

  it("401, 403: only who may see the history", async () => {
    const other = await api.seed.key("acme", "Pass.Read", "Scheduler.Run");
    const foreign = await api.seed.key("rival", "Scheduler.History");
    for (const path of [base, `${base}/executions`, `${base}/night/executions`]) {
      assert.equal((await api.get(path)).status, 401);
      assert.equal((await api.get(path, { key: foreign })).status, 401);
      assert.equal((await api.get(path, { key: other })).status, 403);
    }
  });
});

describe("POST /api/:tenantId/scheduler/:taskId/executions (task.run)", () => {
  it("202: it runs at once, with who asked for it, and tells of its end", async () => {
    const own = await api.seed.key("acme", "Scheduler.Run", "Scheduler.History");
    const { status, body, headers } = await api.post(`${base}/night/executions`, { key: own });
    assert.deepEqual(
      [status, body.status, body.trigger, body.scheduledFor, body.startedAt],
      [202, "running", "manual", null, null],
    );
    const path = headers.get("location") ?? "";
    assert.equal(path, `${base}/night/executions/${body.executionId}`);
    await until(
      async () => (await api.get(path, { key: own })).body.status === "succeeded",
      () => path,
    );
    const ended = await api.get(path, { key: own });
    assert.match(ended.body.createdBy, /^seed-/);
    assert.equal(ended.body.summary, "0 rows were deleted.");
    assert.deepEqual(Object.keys(ended.body.counts).sort(), [
      "auditRows",
      "deliveries",
      "events",
      "executions",
      "imports",
      "inbox",
      "journeyCalls",
      "receipts",
      "refusedEvents",
      "scans",
    ]);
    assert.ok(ended.body.startedAt <= ended.body.finishedAt);
    assert.ok(ended.headers.get("etag"));
    const told = await api.sql(
      `select data from event where tenant_id = 'acme' and name = 'task.completed'
        order by sequence desc limit 1`,
    );
    const { logs: _logs, settings: _settings, ...shown } = ended.body;
    assert.deepEqual(told[0]?.data, shown);
    const [audit] = (await api.get("/api/acme/admin/audit?pageSize=1", { key })).body;
    assert.deepEqual([audit.op, audit.target], ["task.run", "task:night"]);
  });

  it("202: also a task that is disabled, and its schedule stays as it is", async () => {
    const body = await finish("off");
    assert.deepEqual([body.status, body.counts], ["succeeded", { expired: 0 }]);
    const tasks = (await api.get(base, { key })).body;
    assert.equal(tasks[1].nextRunAt, null);
    assert.equal(tasks[1].lastExecution.executionId, body.executionId);
  });

  it("202: files that wait are waited for, and none is fine", async () => {
    const body = await finish("files");
    assert.deepEqual([body.status, body.summary], ["succeeded", "No file waited."]);
  });

  it("202: what fails says why, in the execution and by an event", async () => {
    const body = await finish("classes");
    assert.deepEqual([body.status, body.problem.code], ["failed", "wallet.google-not-configured"]);
    const [told] = await api.sql(
      "select data from event where tenant_id = 'acme' and name = 'task.failed'",
    );
    assert.partialDeepStrictEqual(told?.data, { executionId: body.executionId, status: "failed" });
  });

  it("409: while it is running, or waits for a worker", async (t) => {
    const still = await startApi(t, { env: { ROLES: "api" } });
    await still.seed.tenant("acme", { "server/schedule.yml": SCHEDULE });
    const path = `${base}/night/executions`;
    const first = await still.post(path, { key });
    const second = await still.post(path, { key });
    assert.deepEqual([first.status, second.status, second.body.code], [202, 409, "task.running"]);
    assert.equal((await still.post(`${base}/off/executions`, { key })).status, 202);
    const listed = await still.get(path, { key });
    assert.deepEqual(listed.body, [first.body]);
  });

  it("401, 403, 404: only who may run, and only what there is", async () => {
    const path = `${base}/night/executions`;
    const reader = await api.seed.key("acme", "Scheduler.History");
    const foreign = await api.seed.key("rival", "Scheduler.Run");
    assert.equal((await api.post(path)).status, 401);
    assert.equal((await api.post(path, { key: foreign })).status, 401);
    assert.equal((await api.post(path, { key: reader })).status, 403);
    const { status, body } = await run("nothing");
    assert.deepEqual([status, body.code], [404, "task.not-found"]);
  });
});

describe("executions", () => {
  it("200: execution.list and execution.list-of-task have the newest first, and filters", async () => {
    const made = [await finish("night"), await finish("off")];
    const [later, earlier] = (await api.get(`${base}/executions?pageSize=2`, { key })).body;
    assert.deepEqual(
      [earlier.executionId, later.executionId],
      made.map(({ executionId }) => executionId),
    );
    const query = "filter[0].field=status&filter[0].operator=equals&filter[0].value=failed";
    const failed = (await api.get(`${base}/executions?${query}`, { key })).body;
    assert.ok(failed.length > 0);
    assert.ok(failed.every((one: { status: string }) => one.status === "failed"));
    const ofTask = (await api.get(`${base}/off/executions`, { key })).body;
    assert.ok(ofTask.every((one: { taskId: string }) => one.taskId === "off"));
  });

  it("404: execution.get of another task, another tenant, or of none", async () => {
    const { executionId } = await finish("night");
    const { body } = await api.get(`${base}/night/executions/${executionId}`, { key });
    assert.deepEqual([body.executionId, body.settings], [executionId, {}]);
    for (const path of [
      `${base}/off/executions/${executionId}`,
      `/api/rival/scheduler/night/executions/${executionId}`,
      `${base}/night/executions/exe_none`,
    ]) {
      const { status, body } = await api.get(path, { key });
      assert.deepEqual([status, body.code], [404, "execution.not-found"]);
    }
    for (const odd of ["x".repeat(500), "%F0%9F%92%A9", "executions"]) {
      assert.equal((await api.get(`${base}/${odd}/executions`, { key })).status, 404, odd);
      assert.equal((await api.post(`${base}/${odd}/executions`, { key })).status, 404, odd);
      assert.equal((await api.get(`${base}/night/executions/${odd}`, { key })).status, 404, odd);
    }
    const none = await api.get(`${base}/nothing/executions`, { key });
    assert.deepEqual([none.status, none.body.code], [404, "task.not-found"]);
  });

  it("200: those of a task that was removed from the file stay", async () => {
    const { executionId } = await finish("off");
    const body = { files: { "server/schedule.yml": SCHEDULE.replace(/.*id: off.*\n/, "") } };
    assert.equal((await api.patch("/api/tenants/acme", { key, body })).status, 200);
    const listed = await api.get(`${base}/off/executions`, { key });
    assert.equal(listed.body[0].executionId, executionId);
    assert.equal((await api.get(`${base}/off/executions/${executionId}`, { key })).status, 200);
    assert.equal((await run("off")).status, 404);
    const again = { files: { "server/schedule.yml": SCHEDULE } };
    assert.equal((await api.patch("/api/tenants/acme", { key, body: again })).status, 200);
  });

  it("404: execution.download of a run that made no file", async () => {
    const { executionId } = await finish("night");
    const path = `${base}/night/executions/${executionId}/file`;
    const { status, body } = await api.get(path, { key });
    assert.deepEqual([status, body.code], [404, "execution.file-not-found"]);
    const reader = await api.seed.key("acme", "Scheduler.History");
    assert.equal((await api.get(path, { key: reader })).status, 403);
  });
});
