import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { insertedPassId, insertPasses } from "#test/support/factories.ts";
import { finishedJob } from "#test/support/jobs.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const key = api.operatorKey;

const patch = async (tenantId: string, body: unknown): Promise<string> => {
  const sent = await api.patch(`/api/${tenantId}/passes`, { key, body });
  assert.equal(sent.status, 202, sent.text);
  return sent.body.jobId;
};

/**
 * Inserted by SQL, because creating so many passes by requests would take longer than all tests.
 */
async function fill(tenantId: string, passes: number): Promise<void> {
  await seedPassTenant(api, tenantId);
  await insertPasses(api, tenantId, passes);
}
const idOf = insertedPassId;
const everyone = [{ field: "passType", operator: "equals", value: "loyalty" }];
const countOf = async (text: string, values: unknown[]) => {
  const [row] = await api.sql(`select count(*)::int as count from ${text}`, values);
  return row?.count;
};

describe("the updates of many passes", () => {
  it("tell their rate, and are counted all the same when most of them fail", async () => {
    await fill("failing", 1_200);
    const jobId = await patch("failing", { filter: everyone, additionalData: { points: -1 } });
    const job = await finishedJob(api, "failing", jobId);
    assert.deepEqual([job.state, job.processed, job.failed], ["failed", 1_200, 1_200]);
    assert.equal(job.failures.length, 100);
    assert.equal(await countOf("job_failure where job_id = $1", [jobId]), 1_000);
    assert.ok(job.ratePerSecond > 0);
    assert.equal(job.remainingSeconds, 0);
    assert.equal(await countOf("event where tenant_id = 'failing' and subject is not null", []), 0);
  });

  it("stop before the next batch when they are cancelled", async (t) => {
    await fill("stopping", 2_000);
    const other = new pg.Client(api.database.connection);
    await other.connect();
    t.after(() => other.end());
    // Blocks the third batch, so that the test knows how far the work has come.
    await other.query("set app.tenant = '*'");
    await other.query("begin");
    await other.query("select from pass where tenant_id = 'stopping' and id = $1 for update", [
      idOf(1_200),
    ]);
    const jobId = await patch("stopping", { filter: everyone, additionalData: { points: 1 } });
    const path = `/api/stopping/jobs/${jobId}`;
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(10)) {
      if ((await api.get(path, { key })).body.processed === 1_000) break;
    }
    const running = await api.get(path, { key });
    assert.deepEqual(
      [running.body.state, running.body.processed, running.body.progress],
      ["running", 1_000, 0.5],
    );
    assert.ok(running.body.remainingSeconds > 0);
    const cancelled = await api.post(`${path}/cancel`, { key });
    assert.deepEqual([cancelled.status, cancelled.body.state], [200, "cancelled"]);
    await other.query("rollback");
    // Queued after the remaining changes: when this one is done, those have been handled.
    const body = { additionalData: { points: 2 } };
    const last = await api.patch(`/api/stopping/passes/${idOf(2_000)}`, { key, body });
    await finishedJob(api, "stopping", last.body.jobId);
    assert.equal((await api.get(path, { key })).body.processed, 1_000);
    assert.equal(await countOf("pass where tenant_id = 'stopping' and version = 2", []), 1_001);
    assert.equal(
      await countOf("event where tenant_id = 'stopping' and name = 'pass.updated'", []),
      1_001,
    );
    assert.equal(await countOf("job_item where job_id = $1", [jobId]), 0);
  });

  it("go on when one of them cannot be written at all", async () => {
    await fill("broken", 20);
    await api.sql(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no such luck'; end $$`);
    await api.sql(`create trigger refuse before update on pass for each row
      when (new.tenant_id = 'broken' and new.id = '${idOf(7)}') execute function refuse()`);
    const jobId = await patch("broken", { filter: everyone, additionalData: { points: 1 } });
    const job = await finishedJob(api, "broken", jobId);
    assert.deepEqual([job.state, job.updated, job.failed], ["completed", 19, 1]);
    assert.deepEqual(job.failures, [
      { subject: idOf(7), code: "pass.update-failed", message: "The pass could not be updated." },
    ]);
    assert.equal(
      await countOf("event where tenant_id = 'broken' and name = 'pass.updated'", []),
      19,
    );
  });

  it("are made in smaller batches when the database cannot do so many in time", async () => {
    await fill("slow", 300);
    await api.sql(`create function be_slow() returns trigger language plpgsql as $$ begin
      if (select count(*) from changed where tenant_id = 'slow') > 100 then
        raise exception 'canceling statement due to statement timeout' using errcode = '57014';
      end if;
      return null; end $$`);
    await api.sql(`create trigger be_slow after update on pass
      referencing new table as changed for each statement execute function be_slow()`);
    const jobId = await patch("slow", { filter: everyone, additionalData: { points: 1 } });
    const job = await finishedJob(api, "slow", jobId);
    assert.deepEqual([job.state, job.updated, job.failed], ["completed", 300, 0]);
    await api.sql("drop trigger be_slow on pass");
  });

  it("go on when one of them never ends in time", async () => {
    await fill("stuck", 4);
    await api.sql(`create function be_stuck() returns trigger language plpgsql as $$ begin
      if exists (select from changed where tenant_id = 'stuck' and id = '${idOf(2)}') then
        raise exception 'canceling statement due to statement timeout' using errcode = '57014';
      end if;
      return null; end $$`);
    await api.sql(`create trigger be_stuck after update on pass
      referencing new table as changed for each statement execute function be_stuck()`);
    const jobId = await patch("stuck", { filter: everyone, additionalData: { points: 1 } });
    const job = await finishedJob(api, "stuck", jobId);
    assert.deepEqual([job.state, job.updated, job.failed], ["completed", 3, 1]);
    assert.equal(job.failures[0].subject, idOf(2));
    await api.sql("drop trigger be_stuck on pass");
  });

  it("are many megabytes when one large change is for many, and not without end", async () => {
    await fill("heavy", 1_100);
    await api.sql(
      `insert into pass_identifier (tenant_id, name, value, pass_id, pass_type, is_unique)
       select 'heavy', 'shop.id', case when id <= $1 then 'few' else 'many' end, id, 'loyalty', false
         from pass where tenant_id = 'heavy'`,
      [idOf(150)],
    );
    const update = (shop: string) => ({
      identifiers: { "shop.id": shop },
      additionalData: { text: shop.padEnd(65_000, "x") },
    });
    const path = "/api/heavy/passes";
    const body = { updates: [update("many"), update("few")] };
    const refused = await api.patch(path, { key, body });
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.body.errors.updates[0], /67108864 bytes/);
    const job = await finishedJob(api, "heavy", await patch("heavy", { updates: [update("few")] }));
    assert.deepEqual([job.state, job.matched, job.updated], ["completed", 150, 150]);
    assert.equal(await countOf("pass where tenant_id = 'heavy' and version = 2", []), 150);
  });

  it("of one tenant do not keep another one waiting", async () => {
    await fill("large", 5_000);
    await seedPassTenant(api, "small");
    const { id } = await seedPass(api, "small");
    const large = await patch("large", { filter: everyone, additionalData: { points: 1 } });
    const small = await patch("small", { passIds: [id], additionalData: { points: 1 } });
    const own = await api.patch(`/api/large/passes/${idOf(5_000)}`, {
      key,
      body: { status: "disabled" },
    });
    const first = await finishedJob(api, "small", small);
    const last = await finishedJob(api, "large", large);
    assert.ok(first.finishedAt < last.finishedAt);
    const mine = await finishedJob(api, "large", own.body.jobId);
    assert.deepEqual([last.updated, mine.updated], [5_000, 1]);
    const { body } = await api.get(`/api/large/passes/${idOf(5_000)}`, { key });
    assert.deepEqual([body.status, body.additionalData.points], ["disabled", 1]);
  });
});
