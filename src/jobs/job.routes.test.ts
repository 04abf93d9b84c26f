import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { finishedJob } from "#test/support/jobs.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { forgetJobs } from "./job.jobs.ts";

// A node without workers, so that jobs stay queued until a test starts a node with workers.
const api = await startApi({ after }, { env: { ROLES: "api" } });
const key = api.operatorKey;
await seedPassTenant(api, "acme");

async function queue(count: number): Promise<{ jobId: string; ids: string[] }> {
  const passes = await Promise.all(Array.from({ length: count }, () => seedPass(api, "acme")));
  const ids = passes.map(({ id }) => id);
  const body = { passIds: ids, additionalData: { points: count } };
  const sent = await api.patch("/api/acme/passes", { key, body });
  assert.equal(sent.status, 202, sent.text);
  return { jobId: sent.body.jobId, ids };
}
const get = (jobId: string, tenantId = "acme") =>
  api.get(`/api/${tenantId}/jobs/${jobId}`, { key });
const cancel = (jobId: string) => api.post(`/api/acme/jobs/${jobId}/cancel`, { key });

describe("GET /api/:tenantId/jobs/:jobId (job.get)", () => {
  it("200: what was asked for and how far it is, without a value", async () => {
    const { jobId } = await queue(2);
    const { status, body, text } = await get(jobId);
    assert.equal(status, 200);
    assert.deepEqual(
      { ...body, createdAt: "" },
      {
        id: jobId,
        kind: "pass.update",
        state: "queued",
        request: { selection: "passIds", changes: ["additionalData.points"], options: {} },
        matched: 2,
        processed: 0,
        updated: 0,
        unchanged: 0,
        failed: 0,
        progress: 0,
        ratePerSecond: null,
        remainingSeconds: null,
        createdAt: "",
        createdBy: "operator",
        startedAt: null,
        finishedAt: null,
        failures: [],
      },
    );
    assert.ok(!text.includes("Camille"));
  });

  it("404: an unknown job, and that of another tenant", async () => {
    await api.seed.tenant("rival");
    const { jobId } = await queue(1);
    for (const answer of [await get("job_nobody"), await get(jobId, "rival")]) {
      assert.deepEqual([answer.status, answer.body.code], [404, "job.not-found"]);
    }
  });
});

describe("GET /api/:tenantId/jobs (job.list)", () => {
  it("200: the newest first, by page, cursor and filter", async () => {
    const first = await queue(1);
    const second = await queue(1);
    const list = await api.get("/api/acme/jobs?pageSize=2", { key });
    const shown = list.body.map(({ id }: { id: string }) => id);
    assert.deepEqual(shown, [second.jobId, first.jobId]);
    assert.ok(Number(list.headers.get("x-pagination-total")) >= 2);
    assert.match(list.headers.get("link") ?? "", /rel="next"/);
    assert.equal("failures" in list.body[0], false);
    await cancel(first.jobId);
    const query = "filter[0].field=state&filter[0].operator=equals&filter[0].value=cancelled";
    const cancelled = await api.get(`/api/acme/jobs?${query}`, { key });
    assert.deepEqual(
      cancelled.body.map(({ id }: { id: string }) => id),
      [first.jobId],
    );
  });
});

describe("POST /api/:tenantId/jobs/:jobId/cancel (job.cancel)", () => {
  it("200: nothing more is changed, and what was left is cleared away", async (t) => {
    const { jobId, ids } = await queue(3);
    const { status, body } = await cancel(jobId);
    assert.deepEqual([status, body.state, body.processed], [200, "cancelled", 0]);
    assert.notEqual(body.finishedAt, null);
    const next = await queue(1);
    const node = await api.node({ ROLES: "worker" }, { owner: t });
    t.after(() => node.application.stop());
    await finishedJob(api, "acme", next.jobId);
    for (const id of ids) {
      assert.equal((await api.get(`/api/acme/passes/${id}`, { key })).body.version, 1);
    }
    const rows = await api.sql("select from job_item where job_id = $1", [jobId]);
    assert.equal(rows.length, 0);
  });

  it("409: one that has ended; 404: one that is none", async () => {
    const { jobId } = await queue(1);
    assert.equal((await cancel(jobId)).status, 200);
    const again = await cancel(jobId);
    assert.deepEqual([again.status, again.body.code], [409, "job.finished"]);
    assert.equal((await cancel("job_nobody")).status, 404);
  });

  it("403: needs Pass.Write", async () => {
    const { jobId } = await queue(1);
    const reader = await api.seed.key("acme", "Pass.Read");
    const path = `/api/acme/jobs/${jobId}`;
    assert.equal((await api.post(`${path}/cancel`, { key: reader })).status, 403);
    assert.equal((await api.get(path, { key: reader })).status, 200);
  });
});

describe("events of jobs", () => {
  const told = async (jobId: string): Promise<string[]> => {
    const rows = await api.sql(
      "select name, data ->> 'state' as state from event where data ->> 'id' = $1 order by sequence",
      [jobId],
    );
    return rows.map(({ name, state }) => `${name} ${state}`);
  };

  const change = async (passId: string, additionalData: unknown): Promise<string> => {
    const sent = await api.patch(`/api/acme/passes/${passId}`, { key, body: { additionalData } });
    assert.equal(sent.status, 202, sent.text);
    return sent.body.jobId;
  };

  it("tell every tenth of the work and the end, and of a single change only its failure", async (t) => {
    const many = await queue(30);
    const { id } = await seedPass(api, "acme");
    const good = await change(id, { points: 8 });
    const bad = await change(id, { tier: "Nowhere" });
    const node = await api.node({ ROLES: "worker" }, { owner: t });
    t.after(() => node.application.stop());
    await finishedJob(api, "acme", many.jobId);
    for (const jobId of [good, bad]) await finishedJob(api, "acme", jobId);
    const names = await told(many.jobId);
    assert.equal(names.at(-1), "job.ended completed");
    assert.ok(names.length <= 10, names.join());
    assert.ok(names.slice(0, -1).every((name) => name === "job.progressed running"));
    assert.deepEqual(await told(good), []);
    assert.deepEqual(await told(bad), ["job.ended failed"]);
  });

  it("tell that somebody stopped it", async () => {
    const { jobId } = await queue(2);
    await cancel(jobId);
    assert.deepEqual(await told(jobId), ["job.ended cancelled"]);
  });
});

describe("job.forget", () => {
  it("removes jobs that ended more than 30 days ago, and no others", async () => {
    const [old, recent, waiting] = [await queue(1), await queue(1), await queue(1)];
    for (const { jobId } of [old, recent]) await cancel(jobId);
    const age =
      "update job set has_items = false, finished_at = now() - $2::interval where id = $1";
    await api.sql(age, [old.jobId, "31 days"]);
    await api.sql(age, [recent.jobId, "29 days"]);
    await api.sql(
      "insert into job_failure values ('acme', $1, 0, 'ps_1', 'pass.not-found', 'gone')",
      [old.jobId],
    );
    const call = systemCall(api.runtime, forgetJobs.name);
    await forgetJobs.run(call, {}, new AbortController().signal);
    assert.equal((await get(old.jobId)).status, 404);
    assert.equal((await get(recent.jobId)).status, 200);
    assert.equal((await get(waiting.jobId)).status, 200);
    assert.deepEqual(await api.sql("select from job_failure where job_id = $1", [old.jobId]), []);
  });

  it("ends as failed what its owner has not gone on with for a day", async () => {
    const walk = `insert into job (tenant_id, id, kind, state, request, matched, has_items, created_at,
                                   created_by, touched_at)
                  values ('acme', $1, 'webhook.recover', 'running', '{"selection":"since","changes":[],"options":{}}',
                          5, false, now() - interval '3 days', 'operator', now() - $2::interval)`;
    await api.sql(walk, ["job_lost", "25 hours"]);
    await api.sql(walk, ["job_walked", "23 hours"]);
    await forgetJobs.run(systemCall(api.runtime, "job.forget"), {}, new AbortController().signal);
    assert.equal((await get("job_lost")).body.state, "failed");
    assert.equal((await get("job_walked")).body.state, "running");
  });
});
