import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { TenantContext } from "#kernel/context.ts";
import { provide } from "#kernel/port.ts";
import { metadataSources } from "#src/passes/public.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { finishTask } from "#test/support/tasks.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { purgers } from "../kinds.port.ts";

const [gate, answers] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
let [running, most] = [0, 0];
/** Keeps the runs of tenants that are named so. */
const keeper = {
  name: "keeper",
  async purge({ tenantId }: TenantContext) {
    if (!tenantId.startsWith("kept-")) return 0;
    running += 1;
    most = Math.max(most, running);
    await gate.promise;
    running -= 1;
    return 0;
  },
};
const slow = { name: "slow", fetch: () => answers.promise.then(() => ({ tier: "gold" })) };
const provides = [provide(purgers, keeper), provide(metadataSources, slow)];
const api = await startApi({ after }, { provides });
const key = api.operatorKey;
const SCHEDULE = `tasks:
  - { id: purge, kind: purge, cron: "0 0 29 2 *" }
  - { id: refresh, kind: refresh-metadata, cron: "0 0 29 2 *" }
`;
const PLACES = 8;

async function runAll(tenantIds: readonly string[], taskId: string): Promise<void> {
  for (const tenantId of tenantIds) {
    await api.post(`/api/${tenantId}/scheduler/${taskId}/executions`, { key });
  }
}

const countOf = async (where: string) =>
  Number((await api.sql(`select count(*) from task_execution where ${where}`))[0]?.count);

const commits = async () =>
  Number(
    (
      await api.sql(
        `select pg_stat_force_next_flush()::text,
                (select xact_commit from pg_stat_database where datname = current_database()) as n`,
      )
    )[0]?.n,
  );

describe("the places of a process", () => {
  it("are not taken by runs that wait for work elsewhere", async () => {
    const waiting = Array.from({ length: PLACES + 2 }, (_, at) => `waiting-${at}`);
    for (const tenantId of waiting) {
      await seedPassTenant(api, tenantId, { "server/schedule.yml": SCHEDULE });
      await seedPass(api, tenantId);
    }
    await runAll(waiting, "refresh");
    await until(async () => (await countOf("attempts = 1")) === waiting.length);
    assert.equal((await finishTask(api, "waiting-0", "purge")).status, "succeeded");
    answers.resolve();
    await until(async () => (await countOf("status = 'running'")) === 0);
  });

  it("are never more, and nothing is asked again and again while they are full", async (t) => {
    t.after(() => gate.resolve());
    const kept = Array.from({ length: PLACES + 4 }, (_, at) => `kept-${at}`);
    for (const tenantId of kept) {
      await api.seed.tenant(tenantId, { "server/schedule.yml": SCHEDULE });
    }
    await runAll(kept, "purge");
    await until(() => running === PLACES);
    // Many other tenants wait as well.
    await api.sql(
      `insert into task_execution (tenant_id, id, task_id, kind, settings, time_limit_seconds,
                                   trigger, created_at, created_by)
       select 'crowd-' || at, 'exe_' || at, 'purge', 'purge', '{}', 60, 'schedule', now(), 'billfold'
         from generate_series(1, 300) as at`,
    );
    let spent = Number.POSITIVE_INFINITY;
    // What publications and wishes left to do ends first.
    await until(
      async () => {
        const before = await commits();
        await sleep(1_000);
        spent = (await commits()) - before;
        return spent < 100;
      },
      () => `${spent} transactions in a second`,
    );
    await api.sql("delete from task_execution where tenant_id like 'crowd-%'");
    gate.resolve();
    await until(async () => (await countOf("status = 'running'")) === 0);
    assert.equal(most, PLACES);
    assert.equal(await countOf("tenant_id like 'kept-%' and status = 'succeeded'"), kept.length);
  });
});
