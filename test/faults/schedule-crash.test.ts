import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import { insertPasses } from "#test/support/factories.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { makeDataDir, type Product, removeDataDir, startProduct } from "#test/support/product.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

const WAIT_MS = 180_000;
const PASSES = 40_000;
const PATH = "/api/crashing/scheduler/copy/executions";
const SCHEDULE = `tasks:
  - { id: copy, kind: export, cron: "0 0 1 1 *", settings: { columns: [passId, additionalData.offer] } }
`;

/** A tenant with many passes, and workers that can be killed. */
async function stage(t: TestContext) {
  const undos: (() => Promise<unknown>)[] = [];
  t.after(async () => {
    for (const undo of undos) await undo();
  });
  const env = { MASTER_KEY: randomBytes(32).toString("base64"), SIMULATOR: "0" };
  const owner = { after: (undo: () => Promise<void>) => void undos.unshift(undo) };
  const api = await startApi(owner, { env: { ...env, ROLES: "api" } });
  await seedPassTenant(api, "crashing");
  await insertPasses(api, "crashing", PASSES, { passType: "coupon", data: { offer: "Tea" } });
  const body = { files: { "server/schedule.yml": SCHEDULE } };
  await api.patch("/api/tenants/crashing", { key: api.operatorKey, body });
  const dataDir = await makeDataDir();
  undos.unshift(() => removeDataDir(dataDir));
  const start = async (): Promise<Product> => {
    const more = { DATABASE_URL: api.database.url, DATA_DIR: dataDir, ROLES: "worker" };
    const worker = await startProduct({ env: { ...env, ...more, LOG_LEVEL: "error" } });
    undos.unshift(() => worker.kill("SIGKILL"));
    return worker;
  };
  return { api, start };
}

async function killInTheMiddle(api: TestApi, worker: Product): Promise<void> {
  const parts = async () =>
    Number((await api.sql("select count(*) from task_file_part"))[0]?.count ?? 0);
  await until(async () => (await parts()) > 3, undefined, WAIT_MS);
  await worker.kill("SIGKILL");
  assert.ok((await parts()) < PASSES / 500, "it was killed in the middle");
}

/** As if the time had passed for which the dead process had claimed the run. */
const passLease = (api: TestApi) =>
  api.sql("update task_execution set claimed_until = now() where claimed_until > now()");

async function finished(api: TestApi, path: string) {
  const read = async () => (await api.get(path, { key: api.operatorKey })).body;
  await until(async () => (await read()).status !== "running", undefined, WAIT_MS);
  return await read();
}

describe("a worker that is killed in the middle of a run", () => {
  it("is followed by another one, which does it again from the start; after three, it has failed", async (t) => {
    const { api, start } = await stage(t);
    const key = api.operatorKey;
    const worker = await start();
    const first = `${PATH}/${(await api.post(PATH, { key })).body.executionId}`;
    await killInTheMiddle(api, worker);
    assert.equal((await api.get(first, { key })).body.status, "running");
    assert.equal((await api.get(`${first}/file`, { key })).status, 404, "half a file is none");
    assert.equal((await api.post(PATH, { key })).status, 409);

    await passLease(api);
    const other = await start();
    const body = await finished(api, first);
    assert.deepEqual(
      [body.status, body.attempts, body.counts, body.file.rows],
      ["succeeded", 2, { passes: PASSES }, PASSES],
    );
    const lines = (await api.get(`${first}/file`, { key })).text.trimEnd().split("\r\n");
    assert.deepEqual([lines.length, new Set(lines).size], [PASSES + 1, PASSES + 1]);
    const told = await api.sql("select name from event where name like 'task.%'");
    assert.deepEqual(told, [{ name: "task.completed" }]);

    await api.sql("delete from task_file_part");
    const second = `${PATH}/${(await api.post(PATH, { key })).body.executionId}`;
    await killInTheMiddle(api, other);
    // As if two more had died.
    await api.sql("update task_execution set attempts = 3 where status = 'running'");
    await passLease(api);
    await api.node({ ROLES: "worker" });
    const lost = await finished(api, second);
    assert.deepEqual([lost.status, lost.problem.code], ["failed", "execution.process-lost"]);
    assert.equal((await api.post(PATH, { key })).status, 202, "the task itself can run again");
  });
});
