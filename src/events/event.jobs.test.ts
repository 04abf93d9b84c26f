import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { startApi } from "#test/support/start-api.ts";
import { purgeEvents } from "./event.jobs.ts";

const api = await startApi({ after }, { env: { ROLES: "api" } });

async function fill(tenantId: string, count: number, ageDays: number): Promise<void> {
  await api.sql(
    `insert into event (tenant_id, id, name, occurred_at, data)
     select $1, 'evt_' || $2::int || '_' || n, 'thing.made', now() - $2::int * interval '1 day', '{}'
       from generate_series(1, $3::int) as n`,
    [tenantId, ageDays, count],
  );
}

const run = (signal = new AbortController().signal) =>
  purgeEvents.run(systemCall(api.runtime, "event.purge"), {}, signal);

async function left(tenantId: string): Promise<Record<string, number>> {
  const rows = await api.sql(
    `select extract(day from now() - occurred_at)::int as days, count(*)::int as count
       from event where tenant_id = $1 and name = 'thing.made' group by 1 order by 1`,
    [tenantId],
  );
  return Object.fromEntries(rows.map(({ days, count }) => [days, count]));
}

describe("the job event.purge", () => {
  it("deletes what is older than each tenant keeps, and nothing else, however often it runs", async () => {
    await api.seed.tenant("usual");
    await api.seed.tenant("brief", { "tenant.yml": "name: brief\nretention:\n  eventDays: 3\n" });
    await api.seed.tenant("thorough", { "tenant.yml": "name: t\nretention:\n  eventDays: 400\n" });
    for (const tenantId of ["usual", "brief", "thorough"]) {
      for (const days of [1, 5, 29, 31, 500]) await fill(tenantId, 3, days);
    }
    // More than one batch.
    await fill("usual", 2_500, 40);
    for (let times = 0; times < 2; times += 1) {
      await run();
      assert.deepEqual(await left("usual"), { 1: 3, 5: 3, 29: 3 });
      assert.deepEqual(await left("brief"), { 1: 3 });
      assert.deepEqual(await left("thorough"), { 1: 3, 5: 3, 29: 3, 31: 3 });
    }
  });

  it("two at once delete together, and neither waits for the other", async () => {
    await api.seed.tenant("twice");
    await fill("twice", 5_000, 60);
    await Promise.all([run(), run()]);
    await run();
    assert.deepEqual(await left("twice"), {});
  });

  it("stops when it is told to", async () => {
    await api.seed.tenant("patient");
    await fill("patient", 3, 60);
    await run(AbortSignal.abort());
    assert.deepEqual(await left("patient"), { 60: 3 });
  });

  it("a tenant whose rows cannot be deleted keeps no other from its turn", async () => {
    for (const tenantId of ["a-broken", "b-whole"]) {
      await api.seed.tenant(tenantId);
      await fill(tenantId, 1_500, 60);
    }
    await api.sql(`
      create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'as if'; end $$`);
    await api.sql(`
      create trigger refuse before delete on event
         for each row when (old.tenant_id = 'a-broken') execute function refuse()`);
    await run();
    assert.deepEqual([await left("a-broken"), await left("b-whole")], [{ 60: 1_500 }, {}]);
    assert.ok(api.logLines.some((line) => line.includes("a batch of a tenant failed")));
  });

  it("finds what is old by index, in a table of many tenants", async () => {
    await api.sql(
      `insert into event (tenant_id, id, name, occurred_at, data)
       select 'tenant-' || n % 50, 'evt_plan_' || n, 'thing.made', now() - n * interval '1 minute', '{}'
         from generate_series(1, 20000) as n`,
    );
    await api.sql("analyze event");
    const plan = await api.sql(
      `explain select id from event where tenant_id = 'tenant-7' and occurred_at < now() - interval '10 days'
        order by occurred_at limit 1000 for update skip locked`,
    );
    const text = JSON.stringify(plan);
    assert.match(text, /event_time/);
    assert.doesNotMatch(text, /Seq Scan/);
  });
});
