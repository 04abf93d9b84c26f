import assert from "node:assert/strict";
import { it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { startApi } from "#test/support/start-api.ts";
import { purgeRefusals } from "./feed.jobs.ts";

it("refusal.purge deletes what was set aside a month ago, of every tenant, and nothing else", async (t) => {
  const api = await startApi(t, { env: { ROLES: "api" } });
  const fill = (tenantId: string, count: number, days: number) =>
    api.sql(
      `insert into connector_refusal (tenant_id, connector, event_id, event_name, reason, refused_at)
       select $1, 'cdp', 'evt_' || $3::int || '_' || n, 'pass.updated', 'No.', now() - $3::int * interval '1 day'
         from generate_series(1, $2::int) as n`,
      [tenantId, count, days],
    );
  for (const tenantId of ["few", "many"]) {
    await api.seed.tenant(tenantId);
    await fill(tenantId, 2, 29);
  }
  await fill("few", 1, 31);
  await fill("many", 1_700, 31);
  const context = systemCall(api.runtime, purgeRefusals.name);
  for (let times = 0; times < 2; times += 1) {
    await purgeRefusals.run(context, {}, new AbortController().signal);
    const left = await api.sql(
      `select tenant_id as tenant, count(*)::int, max(refused_at) < now() - interval '30 days' as old
         from connector_refusal group by 1 order by 1`,
    );
    assert.deepEqual(left, [
      { tenant: "few", count: 2, old: false },
      { tenant: "many", count: 2, old: false },
    ]);
  }
});
