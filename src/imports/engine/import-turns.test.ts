import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { systemCall } from "#kernel/call.ts";
import { type SteadyClock, steadyClock } from "#kernel/clock.ts";
import { endedImport, uploadImport } from "#test/support/imports.ts";
import { PASS_FILES, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { untilBlocked } from "#test/support/until-blocked.ts";
import { LEASE_SECONDS } from "../files/file.limits.ts";
import { IMPORT_HINT } from "../files/file.signal.ts";
import { ImportEngine } from "./import.engine.ts";

const api = await startApi({ after }, { env: { ROLES: "api" } });
const key = api.operatorKey;
const RENEWAL_MS = (LEASE_SECONDS * 1_000) / 3;
const WAIT_MS = 60_000;

const csv = (rows: number) =>
  Array.from({ length: rows }, (_, at) => `loyalty;N${at};Name ${at}`)
    .toSpliced(0, 0, "passType;identifiers.loyalty.number;additionalData.firstName")
    .join("\n");

/** The workers of one process. Those of the product itself do not run here. */
function startEngine(t: { after(end: () => Promise<void>): void }, clock?: SteadyClock) {
  const engine = new ImportEngine(api.runtime, clock);
  engine.start();
  t.after(() => engine.stop());
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + WAIT_MS; !(await isSo()); await sleep(5)) {
    if (Date.now() > deadline) throw new Error(`It never came to this: ${what}.`);
  }
}

const upload = async (tenantId: string, rows: number): Promise<string> =>
  (await uploadImport(api, tenantId, csv(rows))).importId;

const recordOf = async (tenantId: string, importId: string) =>
  (await api.get(`/api/${tenantId}/admin/imports/${importId}`, { key })).body;

const wake = (tenantId: string) =>
  systemCall(api.runtime, "test.wake", { tenantId }).transaction(async (tx) => {
    tx.hint(IMPORT_HINT, tenantId);
  });

/** Passes, their events and the lines of the log; all three must be as many as rows were imported. */
async function countAll(tenantId: string): Promise<unknown> {
  const [row] = await api.sql(
    `select (select count(*)::int from pass where tenant_id = $1) as passes,
            (select count(*)::int from event where tenant_id = $1 and name = 'pass.created') as events,
            (select count(*)::int from import_outcome
              where tenant_id = $1 and outcome = 'created') as outcomes`,
    [tenantId],
  );
  return row;
}
const all = (count: number) => ({ passes: count, events: count, outcomes: count });

describe("files of many tenants", () => {
  it("stay with the process that imports them while they wait for their turn", async (t) => {
    const tenants = ["turn-1", "turn-2", "turn-3"];
    const rows = 2_000;
    for (const tenantId of tenants) await seedPassTenant(api, tenantId);
    const ids = await Promise.all(tenants.map((tenantId) => upload(tenantId, rows)));
    let renew: (() => void) | undefined;
    startEngine(t, {
      // Turns of 100 milliseconds, so that each tenant has had one before the first file ends.
      now: () => steadyClock.now() * 10,
      after(delayMs, call) {
        if (delayMs !== RENEWAL_MS) return steadyClock.after(delayMs, call);
        renew = call;
        return () => undefined;
      },
    });
    const started = () =>
      api.sql("select 1 from import_file where rows > 0 and tenant_id like 'turn-%'");
    await until("each had a turn", async () => (await started()).length === tenants.length);
    const other = new pg.Client(api.database.connection);
    await other.connect();
    t.after(() => other.end());
    // Two turns are held up, and the third tenant waits for its own.
    await other.query("begin; lock table pass in exclusive mode");
    await untilBlocked(api, 2);
    await api.sql("update import_file set claimed_until = now() where state = 'running'");
    renew?.();
    const kept = () =>
      api.sql("select 1 from import_file where state = 'running' and claimed_until > now()");
    await until("leases are renewed", async () => (await kept()).length > 0);
    const count = (await kept()).length;
    await other.query("commit");
    assert.equal(count, tenants.length);
    for (const [at, tenantId] of tenants.entries()) {
      const file = await endedImport(api, tenantId, ids[at] ?? "");
      assert.deepEqual([file.status, file.created], ["processed", rows]);
      assert.deepEqual(await countAll(tenantId), all(rows));
    }
  });
});

describe("an import", () => {
  it("whose lease is lost goes to another process, and every row is imported once", async (t) => {
    await seedPassTenant(api, "lost");
    const rows = 5_000;
    startEngine(t);
    startEngine(t);
    const importId = await upload("lost", rows);
    const claimOf = async () => {
      const [row] = await api.sql("select claim, rows from import_file where id = $1", [importId]);
      return row;
    };
    let takeovers = 0;
    for (const share of [0.1, 0.3, 0.5]) {
      await until("some rows are done", async () => Number((await claimOf())?.rows) > rows * share);
      const before = await claimOf();
      // Until the other one is faster: the first may renew its lease just then.
      await until("it is taken over", async () => {
        await api.sql("update import_file set claimed_until = now() where id = $1 and claim = $2", [
          importId,
          before?.claim,
        ]);
        await wake("lost");
        return (await claimOf())?.claim !== before?.claim;
      });
      if ((await claimOf())?.claim !== null) takeovers += 1;
    }
    const file = await endedImport(api, "lost", importId);
    assert.deepEqual([file.status, file.rows, file.failed], ["processed", rows, 0]);
    assert.ok(takeovers > 0);
    assert.deepEqual(await countAll("lost"), all(rows));
  });

  it("that is cancelled stops after the rows under way, which stay", async (t) => {
    await seedPassTenant(api, "stopping");
    startEngine(t);
    const importId = await upload("stopping", 20_000);
    const behind = await uploadImport(api, "stopping", csv(3), "fileName=behind.csv");
    await until("it runs", async () => (await recordOf("stopping", importId)).rows > 0);
    const path = `/api/stopping/admin/imports/${importId}`;
    assert.equal((await api.delete(path, { key })).status, 202);
    const file = await endedImport(api, "stopping", importId);
    assert.deepEqual([file.status, file.problem], ["error", "The import was cancelled."]);
    assert.ok(file.rows > 0 && file.rows < 20_000);
    assert.deepEqual(await countAll("stopping"), all(file.created));
    const next = await endedImport(api, "stopping", behind.importId);
    assert.deepEqual([next.status, next.unchanged], ["processed", 3]);
  });

  it("follows a configuration that is published in the middle of it", async (t) => {
    await seedPassTenant(api, "publishing");
    startEngine(t);
    const rows = 10_000;
    const importId = await upload("publishing", rows);
    await until("it runs", async () => (await recordOf("publishing", importId)).rows > 0);
    const loyalty = String(PASS_FILES["server/passes/loyalty.yml"]);
    await seedPassTenant(api, "publishing", {
      "server/passes/loyalty.yml": loyalty.replace("[firstName]", "[firstName, tier]"),
    });
    const file = await endedImport(api, "publishing", importId);
    assert.deepEqual([file.status, file.rows], ["processed", rows]);
    assert.ok(file.created > 0 && file.failed > 0, JSON.stringify(file));
    assert.deepEqual(await countAll("publishing"), all(file.created));
    const [last] = await api.sql(
      `select max(row) filter (where outcome = 'created') as created,
              min(row) filter (where outcome = 'failed') as failed,
              count(distinct message)::int as messages, max(message) as message
         from import_outcome where file_id = $1`,
      [importId],
    );
    assert.equal(Number(last?.created) + 1, last?.failed, "from one row on, the new rules count");
    assert.equal(last?.messages, 1);
    assert.match(String(last?.message), /tier/);
  });
});
