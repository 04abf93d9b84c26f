import assert from "node:assert/strict";
import { it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { openJourneys, person } from "#test/support/journey-stage.ts";
import { startApi } from "#test/support/start-api.ts";
import { purgeJourneys } from "./journey.jobs.ts";

it("calls are remembered for two weeks, and hold nothing by which somebody could be known", async (t) => {
  const api = await startApi(t, { env: { ROLES: "api" } });
  const { call, tenantId } = await openJourneys(api);
  for (const key of ["old", "new"]) {
    await call("createPass", { ...person("ada@example.com"), idempotencyKey: `${key} for Ada` });
  }
  const kept = await api.sql("select * from journey_call where tenant_id = $1", [tenantId]);
  assert.equal(kept.length, 2);
  assert.doesNotMatch(JSON.stringify(kept), /ada/i);
  await api.sql(
    `update journey_call set created_at = now() - interval '15 days'
      where key = (select min(key) from journey_call)`,
  );
  const context = systemCall(api.runtime, purgeJourneys.name);
  await purgeJourneys.run(context, {}, new AbortController().signal);
  assert.equal((await api.sql("select from journey_call")).length, 1);
});
