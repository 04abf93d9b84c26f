import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import pg from "pg";
import { finishedJob } from "#test/support/jobs.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";

// Without workers, changes wait until the test starts a node with workers.
const api = await startApi({ after }, { env: { ROLES: "api" } });
const key = api.operatorKey;
await seedPassTenant(api, "acme");

const patchOne = async (
  id: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<string> => {
  const path = `/api/acme/passes/${id}`;
  const { status, body: sent, text } = await api.patch(path, { key, body, headers });
  assert.equal(status, 202, text);
  return sent.jobId;
};
const read = async (id: string) => (await api.get(`/api/acme/passes/${id}`, { key })).body;
const namesOf = async (id: string) => {
  const text = "select name from event where subject = $1 order by sequence";
  return (await api.sql(text, [id])).map(({ name }) => name);
};
async function work(t: { after(undo: () => Promise<void>): void }): Promise<TestApi> {
  const node = await api.node({ ROLES: "worker" });
  t.after(() => node.application.stop());
  return node;
}

describe("changes that wait for one pass", () => {
  it("become one version and one event, in order, each counted in its own job", async (t) => {
    const { id } = await seedPass(api, "acme");
    const jobs = [
      await patchOne(id, { additionalData: { points: 1, tier: "Deck" } }),
      await patchOne(id, { additionalData: { points: -5 } }),
      await patchOne(id, { additionalData: { points: 2, note: "kept" } }),
    ];
    const bulk = await api.patch("/api/acme/passes", {
      key,
      body: { passIds: [id], additionalData: { points: 3 } },
    });
    jobs.push(bulk.body.jobId, await patchOne(id, { additionalData: { tier: null } }));
    await work(t);
    const ended = [];
    for (const jobId of jobs) ended.push(await finishedJob(api, "acme", jobId));
    assert.deepEqual(
      ended.map(({ state }) => state),
      ["completed", "failed", "completed", "completed", "completed"],
    );
    const pass = await read(id);
    assert.equal(pass.version, 2);
    assert.deepEqual(pass.additionalData, { firstName: "Camille", points: 3, note: "kept" });
    assert.deepEqual(await namesOf(id), ["pass.created", "pass.updated"]);
    assert.deepEqual(await api.sql("select from job_item"), []);
    assert.deepEqual(await api.sql("select from job where change is not null"), []);
  });

  it("are done before one that bypasses the queue", async () => {
    const { id } = await seedPass(api, "acme");
    const jobId = await patchOne(id, { additionalData: { points: 1, note: "first" } });
    const { status, body } = await api.patch(`/api/acme/passes/${id}`, {
      key,
      body: { additionalData: { points: 2 }, options: { BypassQueue: true } },
    });
    assert.equal(status, 200);
    assert.deepEqual(body.additionalData, { firstName: "Camille", points: 2, note: "first" });
    assert.equal(body.version, 2);
    assert.equal((await finishedJob(api, "acme", jobId)).updated, 1);
    assert.deepEqual(await namesOf(id), ["pass.created", "pass.updated"]);
  });

  it("are all done before one that bypasses the queue, however many they are", async () => {
    const { id } = await seedPass(api, "acme");
    const updates = Array.from({ length: 4_100 }, (_none, at) => ({
      passId: id,
      additionalData: { points: at },
    }));
    const { body: sent } = await api.patch("/api/acme/passes", { key, body: { updates } });
    const body = { additionalData: { points: 7, tier: "Deck" }, options: { BypassQueue: true } };
    const now = await api.patch(`/api/acme/passes/${id}`, { key, body });
    assert.equal(now.status, 200, now.text);
    assert.equal((await namesOf(id)).length, now.body.version);
    assert.equal((await finishedJob(api, "acme", sent.jobId)).updated, 4_100);
    assert.equal((await read(id)).additionalData.points, 7);
  });

  it("hold to the version in If-Match when they are done: one of two with one ETag fails", async (t) => {
    const { id } = await seedPass(api, "acme");
    const { headers } = await api.get(`/api/acme/passes/${id}`, { key });
    const match = { "if-match": headers.get("etag") ?? "" };
    const jobs = [
      await patchOne(id, { additionalData: { points: 1 } }, match),
      await patchOne(id, { additionalData: { points: 2 } }, match),
      await patchOne(id, { additionalData: { tier: "Deck" } }, { "if-match": "*" }),
    ];
    const now = await api.patch(`/api/acme/passes/${id}`, {
      key,
      body: { additionalData: { points: 3 }, options: { BypassQueue: true } },
      headers: match,
    });
    assert.equal(now.status, 412, "what is queued comes before it and makes another version");
    await work(t);
    const ended = [];
    for (const jobId of jobs) ended.push(await finishedJob(api, "acme", jobId));
    assert.deepEqual(
      ended.map(({ updated, failed, failures }) => [updated, failed, failures[0]?.code]),
      [
        [1, 0, undefined],
        [0, 1, "request.precondition-failed"],
        [1, 0, undefined],
      ],
    );
    const { points, tier } = (await read(id)).additionalData;
    assert.deepEqual([points, tier], [1, "Deck"]);
  });

  it("are done before a create that finds the pass and updates it", async () => {
    const identifiers = { "loyalty.number": "upserted" };
    const { id } = await seedPass(api, "acme", { identifiers });
    const jobId = await patchOne(id, { additionalData: { points: 1, note: "first" } });
    const path = "/api/acme/passes?passType=loyalty&onConflict=update";
    const body = { identifiers, additionalData: { firstName: "Camille", points: 2 } };
    const { status, body: made } = await api.post(path, { key, body });
    assert.deepEqual([status, made.id, made.version], [200, id, 2]);
    assert.deepEqual(made.additionalData, { firstName: "Camille", points: 2, note: "first" });
    assert.equal((await finishedJob(api, "acme", jobId)).updated, 1);
    assert.deepEqual(await namesOf(id), ["pass.created", "pass.updated"]);
  });

  it("stay, and so does the pass, when a create only finds it, even while others hold it", async (t) => {
    const identifiers = { "loyalty.number": "returned" };
    const { id } = await seedPass(api, "acme", { identifiers });
    await patchOne(id, { additionalData: { points: 1 } });
    await api.sql("update pass set expires_at = '2001-01-01' where id = $1", [id]);
    const other = new pg.Client(api.database.connection);
    await other.connect();
    t.after(() => other.end());
    await other.query("set app.tenant = '*'");
    await other.query("begin");
    await other.query("select from pass where id = $1 for update", [id]);
    const path = "/api/acme/passes?passType=loyalty&onConflict=return";
    const body = { identifiers, additionalData: { firstName: "Grace" } };
    const found = await api.post(path, { key, body });
    assert.deepEqual([found.status, found.body.id, found.body.version], [200, id, 1]);
    assert.equal(found.body.additionalData.firstName, "Camille");
    await other.query("rollback");
    assert.equal((await api.sql("select from job_item where subject = $1", [id])).length, 1);
    assert.deepEqual(await namesOf(id), ["pass.created"]);
    const audits = "select from audit where op = 'pass.create' and target = $1";
    assert.equal((await api.sql(audits, [`pass:${id}`])).length, 2);
    assert.equal((await api.delete(`/api/acme/passes/${id}`, { key })).status, 204);
  });

  it("go with the pass when it is erased, and leave nothing that told of its holder", async () => {
    const { id } = await seedPass(api, "acme");
    const jobId = await patchOne(id, { additionalData: { firstName: "Whoever-She-Was" } });
    assert.equal((await api.delete(`/api/acme/passes/${id}`, { key })).status, 204);
    const job = await finishedJob(api, "acme", jobId);
    assert.deepEqual([job.state, job.failures[0].code], ["failed", "pass.not-found"]);
    for (const table of ["job", "job_item", "job_failure", "event", "audit"]) {
      const rows = await api.sql(
        `select from ${table} as entry where strpos(entry::text, 'Whoever-She-Was') > 0`,
      );
      assert.equal(rows.length, 0, table);
    }
  });

  it("of many passes are done by several nodes at once, each exactly once", async (t) => {
    const passes = await Promise.all(Array.from({ length: 60 }, () => seedPass(api, "acme")));
    const ids = passes.map(({ id }) => id);
    const jobs: string[] = [];
    await Promise.all([work(t), work(t)]);
    for (let round = 1; round <= 5; round += 1) {
      const body = { passIds: ids, additionalData: { points: round } };
      jobs.push((await api.patch("/api/acme/passes", { key, body })).body.jobId);
    }
    for (const jobId of jobs) {
      const job = await finishedJob(api, "acme", jobId);
      assert.deepEqual([job.processed, job.failed, job.updated + job.unchanged], [60, 0, 60]);
    }
    for (const id of ids) {
      const pass = await read(id);
      assert.equal(pass.additionalData.points, 5);
      assert.equal((await namesOf(id)).length, pass.version);
    }
  });
});
