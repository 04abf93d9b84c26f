import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import pg from "pg";
import { systemCall } from "#kernel/call.ts";
import type { Hook } from "#test/support/factories.ts";
import { finishedJob } from "#test/support/jobs.ts";
import { startApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { createStage } from "#test/support/webhook-stage.ts";
import { recoverWebhook } from "../recovery.jobs.ts";

const api = await startApi({ after });
const { open, happen, get, post, put, settled, enable } = createStage(api);

const MINUTE_MS = 60_000;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

/** Recovers the last minute; returns the job after its end. */
async function recover(hook: Hook) {
  const answer = await post(`${hook.path}/recover`, { since: ago(MINUTE_MS) });
  assert.equal(answer.status, 202, answer.text);
  return await finishedJob(api, hook.tenantId, answer.body.jobId);
}

/** A queued job that only the test runs. */
async function queued(hook: Hook): Promise<{ jobId: string; run(): Promise<void> }> {
  const { body } = await post(`${hook.path}/recover`, { since: ago(MINUTE_MS) });
  const context = systemCall(api.runtime, recoverWebhook.name, { tenantId: hook.tenantId });
  const { signal } = new AbortController();
  return {
    jobId: body.jobId,
    run: () => recoverWebhook.run(context, { jobId: body.jobId }, signal),
  };
}

/** Resets a job, as if its process had died before it recorded any progress. */
async function forgetProgress(jobId: string, change: unknown): Promise<void> {
  await api.sql(
    `update job set state = 'running', finished_at = null, change = $2,
            matched = 0, processed = 0, updated = 0, unchanged = 0 where id = $1`,
    [jobId, JSON.stringify(change)],
  );
}

/** Waits for each delivery, so that later requests cannot belong to these events. */
async function deliver(hook: Hook, count: number): Promise<void> {
  for (const id of await happen(hook, count)) await settled(hook, id, "delivered");
}

describe("POST …/recover (webhook.recover)", () => {
  it("202: what happened while it was disabled arrives, each event once, however often it is asked for", async (t) => {
    const { receiver, hook } = await open(t);
    await deliver(hook, 1);
    await enable(hook, false);
    const missed = await happen(hook, 3);
    await enable(hook, true);
    const job = await recover(hook);
    const { kind, state, matched, processed, updated, unchanged, failed, progress } = job;
    assert.deepEqual(
      { kind, state, matched, processed, updated, unchanged, failed, progress },
      {
        kind: "webhook.recover",
        state: "completed",
        matched: 4,
        processed: 4,
        updated: 3,
        unchanged: 1,
        failed: 0,
        progress: 1,
      },
    );
    assert.equal(job.request.subject, hook.id);
    for (const id of missed) await settled(hook, id, "delivered");
    assert.deepEqual(receiver.ids().slice(1).sort(), missed);
    const again = await recover(hook);
    assert.deepEqual([again.updated, again.unchanged], [0, 4]);
    await deliver(hook, 1);
    assert.equal(receiver.received.length, 5);
    const [{ attempts } = { attempts: 0 }] = await api.sql(
      "select max(jsonb_array_length(attempts)) as attempts from delivery where webhook_id = $1",
      [hook.id],
    );
    assert.equal(attempts, 1);
  });

  it("202: what failed begins anew; what arrived, waits, or is not its own stays as it is", async (t) => {
    const { receiver, hook } = await open(t, { events: ["api-key.created", "webhook.*"] });
    receiver.answer(({ body }) => (body.event === "webhook.test" ? 500 : 200));
    const [arrived = "", failed = "", waits = ""] = await happen(hook, 3);
    await receiver.waitFor(3);
    for (const id of [arrived, failed, waits]) await settled(hook, id, "delivered");
    await api.sql("update delivery set state = 'failed' where event_id = $1", [failed]);
    const later = `update delivery set state = 'pending', is_retry = true, finished_at = null,
                          due_at = now() + interval '1 hour' where event_id = $1`;
    await api.sql(later, [waits]);
    assert.equal((await post(`${hook.path}/test`, {})).body.state, "failed");
    assert.equal(receiver.received.length, 4);
    await recover(hook);
    await receiver.waitFor(5);
    assert.equal(receiver.ids().at(-1), failed);
    await deliver(hook, 1);
    assert.equal(receiver.received.length, 6);
    assert.equal((await get(`${hook.path}/deliveries/${waits}`)).body.state, "retrying");
  });

  it("202: more than a batch, some of them at the same instant, in order where order is asked for", async (t) => {
    const { receiver, hook } = await open(t, { enabled: false, events: ["many.*"] });
    assert.equal((await put(`${hook.path}/settings`, { ordered: true })).status, 200);
    await api.sql(
      `insert into event (tenant_id, id, name, occurred_at, data)
       select $1, 'evt_many' || lpad((2000 - n)::text, 5, '0'), case when n % 5 = 0 then 'many.made' else 'few.made' end,
              now() - interval '30 seconds' + (n / 700) * interval '1 second', '{}'
         from generate_series(1, 1300) as n order by n`,
      [hook.tenantId],
    );
    receiver.answer(200);
    await enable(hook, true);
    const job = await recover(hook);
    assert.deepEqual([job.matched, job.processed, job.updated], [260, 260, 260]);
    await receiver.waitFor(260, 60_000);
    // In the order of the events, whatever the order of their ids.
    assert.deepEqual(receiver.ids(), [...receiver.ids()].sort().reverse());
    assert.equal(new Set(receiver.ids()).size, 260);
  });

  it("runs twice, also at once, as if it had run once; what fails again meanwhile is left alone", async (t) => {
    const { receiver, hook } = await open(t, { enabled: false });
    const missed = await happen(hook, 3);
    await enable(hook, true);
    const { jobId, run } = await queued(hook);
    const [row] = await api.sql("select change from job where id = $1", [jobId]);
    await Promise.all([run(), run(), run()]);
    const job = await finishedJob(api, hook.tenantId, jobId);
    assert.deepEqual([job.matched, job.processed, job.updated], [3, 3, 3]);
    for (const id of missed) await settled(hook, id, "delivered");
    assert.equal(receiver.received.length, 3);
    await api.sql("update delivery set state = 'failed' where webhook_id = $1", [hook.id]);
    await forgetProgress(jobId, row?.change);
    await run();
    assert.equal((await finishedJob(api, hook.tenantId, jobId)).unchanged, 3);
    const { body } = await get(`${hook.path}/deliveries`);
    assert.deepEqual(
      body.map(({ state }: { state: string }) => state),
      ["failed", "failed", "failed"],
    );
  });

  it("200: cancelled, it owes nothing more; disabled or deleted, its webhook ends it as failed", async (t) => {
    const { hook } = await open(t, { enabled: false });
    await happen(hook, 2);
    await enable(hook, true);
    const codes: string[] = [];
    const ends: readonly [end: (jobId: string) => Promise<unknown>, state: string][] = [
      [(jobId) => post(`/api/${hook.tenantId}/jobs/${jobId}/cancel`), "cancelled"],
      [() => enable(hook, false), "failed"],
      [() => api.delete(hook.path, { key: api.operatorKey }), "failed"],
    ];
    for (const [end, state] of ends) {
      await enable(hook, true);
      const { jobId, run } = await queued(hook);
      await finishedJob(api, hook.tenantId, jobId);
      await api.sql("delete from delivery where webhook_id = $1", [hook.id]);
      const now = new Date().toISOString();
      const range = { since: ago(MINUTE_MS), until: now, requestedAt: now };
      await forgetProgress(jobId, { webhookId: hook.id, ...range });
      await end(jobId);
      await run();
      const job = await finishedJob(api, hook.tenantId, jobId);
      assert.deepEqual([job.state, job.updated], [state, 0]);
      codes.push(...job.failures.map(({ code }: { code: string }) => code));
      const owed = await api.sql("select from delivery where webhook_id = $1", [hook.id]);
      assert.equal(owed.length, 0);
    }
    assert.deepEqual(codes, ["webhook.is-disabled", "webhook.not-found"]);
  });

  it("200: its job is for those who may read webhooks, and no other job is", async (t) => {
    const { hook } = await open(t);
    const { id } = await recover(hook);
    const jobs = `/api/${hook.tenantId}/jobs`;
    const webhooks = await api.seed.key(hook.tenantId, "Webhook.Read");
    const passes = await api.seed.key(hook.tenantId, "Pass.Read");
    assert.equal((await api.get(`${jobs}/${id}`, { key: webhooks })).status, 200);
    assert.equal((await api.get(jobs, { key: webhooks })).body.length, 1);
    assert.equal((await api.get(`${jobs}/${id}`, { key: passes })).status, 404);
    assert.equal((await api.get(jobs, { key: passes })).body.length, 0);
    const cancel = await api.post(`${jobs}/${id}/cancel`, { key: webhooks });
    assert.equal(cancel.status, 403);
    const other = await api.seed.key(hook.tenantId, "Webhook.Read", "Pass.Write");
    const refused = await api.post(`${jobs}/${id}/cancel`, { key: other });
    assert.deepEqual([refused.status, refused.body.requiredScope], [403, "Webhook.Write"]);
    const foreign = await api.seed.key(hook.tenantId, "Pass.Write");
    assert.equal((await api.post(`${jobs}/${id}/cancel`, { key: foreign })).status, 404);
  });

  it("202: an event whose transaction ends only after the request is not missed", async (t) => {
    const { receiver, hook } = await open(t, { enabled: false });
    const late = new pg.Client(api.database.connection);
    await late.connect();
    t.after(() => late.end());
    await late.query("set app.tenant = '*'; begin");
    await late.query(
      `insert into event (tenant_id, id, name, occurred_at, data)
       values ($1, 'evt_late', 'api-key.created', now(), '{}')`,
      [hook.tenantId],
    );
    await enable(hook, true);
    assert.equal((await post(`${hook.path}/recover`, { since: ago(MINUTE_MS) })).status, 202);
    await until(async () => {
      const active = `select from pgboss.job where name = 'webhook.recover' and state = 'active'
                         and data ->> 'tenantId' = $1`;
      return (await api.sql(active, [hook.tenantId])).length > 0;
    });
    await late.query("commit");
    await receiver.waitFor(1);
    assert.deepEqual(receiver.ids(), ["evt_late"]);
  });

  it("400: a time that is no time, in the future, before events are kept, or ends before it begins", async (t) => {
    const { hook } = await open(t);
    const bad: readonly [unknown, string][] = [
      [{}, "since"],
      [{ since: "yesterday" }, "since"],
      [{ since: "2026-02-30T00:00:00Z" }, "since"],
      [{ since: ago(-MINUTE_MS) }, "since"],
      [{ since: ago(31 * 24 * 60 * MINUTE_MS) }, "since"],
      [{ since: ago(MINUTE_MS), until: ago(2 * MINUTE_MS) }, "until"],
      [{ since: ago(MINUTE_MS), until: "later" }, "until"],
      [{ since: ago(MINUTE_MS), from: "x" }, "from"],
    ];
    for (const [body, field] of bad) {
      const answer = await post(`${hook.path}/recover`, body);
      assert.equal(answer.status, 400, answer.text);
      assert.deepEqual(Object.keys(answer.body.errors), [field], JSON.stringify(body));
    }
  });

  it("409: a disabled webhook; 404: none of this tenant", async (t) => {
    const { hook } = await open(t, { enabled: false });
    const body = { since: ago(MINUTE_MS) };
    const answer = await post(`${hook.path}/recover`, body);
    assert.equal(answer.status, 409);
    assert.equal(answer.body.code, "webhook.is-disabled");
    await api.seed.tenant("rival");
    assert.equal((await post(`/api/rival/webhooks/${hook.id}/recover`, body)).status, 404);
  });
});
