import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { TenantContext } from "#kernel/context.ts";
import { provide } from "#kernel/port.ts";
import { startApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { purgers } from "../kinds.port.ts";

/** Much longer than a lease of 30 seconds, which is measured by the clock of the machine. */
const AWAY_MS = 45_000;

const started: Record<string, number> = {};
const waiting = {
  name: "waiting",
  async purge({ tenantId }: TenantContext, signal: AbortSignal) {
    const count = (started[tenantId] ?? 0) + 1;
    started[tenantId] = count;
    // The first run waits until it is told that its right is lost.
    if (count === 1) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    signal.throwIfAborted();
    return 0;
  },
};

describe("a process that cannot renew its right to a run", () => {
  it("gives the run up, and has it again afterwards: nobody died, so nothing is counted", async (t) => {
    const api = await startApi(t, { provides: [provide(purgers, waiting)] });
    const key = api.operatorKey;
    const file = 'tasks:\n  - { id: it, kind: purge, cron: "0 0 29 2 *" }\n';
    for (const tenantId of ["ended", "away"]) {
      await api.seed.tenant(tenantId, { "server/schedule.yml": file });
    }
    await api.post("/api/ended/scheduler/it/executions", { key });
    await until(() => started.ended === 1);
    const { headers } = await api.post("/api/away/scheduler/it/executions", { key });
    const read = async () => (await api.get(headers.get("location") ?? "", { key })).body;
    await until(() => started.away === 1);

    const other = new pg.Client(api.database.connection);
    await other.connect();
    await other.query("set app.tenant = '*'");
    await other.query("begin");
    await other.query("select from task_execution where tenant_id in ('away', 'ended') for update");
    await sleep(AWAY_MS);
    assert.equal((await read()).status, "running");
    // A run of a tenant that has ended meanwhile holds up no other.
    await api.sql("update tenant set deleted_at = now() where id = 'ended'");
    await other.query("rollback");
    await other.end();

    await until(async () => (await read()).status === "succeeded");
    assert.deepEqual([(await read()).attempts, started.away], [1, 2]);
  });
});
