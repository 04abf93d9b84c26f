import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { systemCall } from "#kernel/call.ts";
import { sql } from "#kernel/db/sql.ts";
import { uploadImport } from "#test/support/imports.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi, startApi, type TestApi } from "#test/support/start-api.ts";
import { listTenantTables } from "#test/support/tenant-rows.ts";
import { untilSettled } from "#test/support/until-settled.ts";
import { startReceiver, until } from "#test/support/webhook-receiver.ts";
import { resumeErasures } from "./erasure.jobs.ts";

const key = (api: TestApi) => ({ key: api.operatorKey });

async function end(api: TestApi, tenantId: string): Promise<void> {
  assert.equal((await api.delete(`/api/tenants/${tenantId}`, key(api))).status, 204);
}

async function isFree(api: TestApi, tenantId: string): Promise<boolean> {
  return (await api.sql("select from tenant where id = $1", [tenantId])).length === 0;
}

/** Every table that still has rows of the tenant, and how many. */
async function leftOf(api: TestApi, tenantId: string): Promise<string[]> {
  const left: string[] = [];
  for (const { name, column } of await listTenantTables(api)) {
    // Counts requests by credential and operation, also those for a tenant that does not exist.
    if (name === "rate_limit") continue;
    const rows = await api.sql(`select from ${name} where ${column} = $1`, [tenantId]);
    if (rows.length > 0) left.push(`${name} ${rows.length}`);
  }
  return left;
}

/** Sends a request but for the end of its body. */
async function beginPost(api: TestApi, path: string, credential: string, body: unknown) {
  const sent = JSON.stringify(body);
  const { hostname, port } = new URL(api.application.url ?? "");
  const socket = connect(Number(port), hostname);
  let answer = "";
  socket.on("data", (data) => {
    answer += data;
  });
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: a\r\nx-api-key: ${credential}\r\n` +
      `content-type: application/json\r\ncontent-length: ${sent.length}\r\n\r\n${sent.slice(0, 20)}`,
  );
  await sleep(100);
  return {
    async finish(): Promise<string> {
      socket.write(sent.slice(20));
      await until(() => answer.includes("\r\n\r\n{"));
      socket.destroy();
      return answer;
    },
  };
}

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => `loyalty;I${n};Person ${n}`).join("\n");
const membersOf = (count: number) =>
  `passType;identifiers.loyalty.number;additionalData.firstName\n${rowsOf(count)}\n`;

describe("a tenant that ends while it is busy", () => {
  const api = shareApi();

  it("leaves no row behind that the next tenant of its id could read", async (t) => {
    const receiver = await startReceiver(t);
    await seedPassTenant(api(), "busy");
    // The end of an endpoint comes in the middle of the end of the tenant.
    receiver.answer(() => (receiver.received.length < 40 ? 200 : 410));
    const webhook = { endpoint: receiver.url, events: ["*"], enabled: true };
    const added = await api().post("/api/busy/webhooks", { ...key(api()), body: webhook });
    assert.equal(added.status, 200, added.text);
    for (let n = 0; n < 20; n += 1) await seedPass(api(), "busy");
    for (const fileName of ["a.csv", "b.csv"]) {
      await uploadImport(api(), "busy", membersOf(6_000), `fileName=${fileName}`);
    }
    const created = "select from pass where tenant_id = 'busy' limit 100";
    await until(async () => (await api().sql(created)).length === 100);
    const body = { filter: [], additionalData: { points: 1 } };
    await api().patch("/api/busy/passes", { ...key(api()), body });

    await end(api(), "busy");
    await until(() => isFree(api(), "busy"));
    assert.deepEqual(await leftOf(api(), "busy"), []);

    await seedPassTenant(api(), "busy");
    // Longer than anything of the old tenant could have been waiting for its next attempt.
    await sleep(3_000);
    await untilSettled(api());
    const { body: events } = await api().get("/api/busy/events", key(api()));
    assert.deepEqual(
      events.map(({ event }: { event: string }) => event),
      ["configuration.published"],
    );
    const { body: audit } = await api().get("/api/busy/admin/audit", key(api()));
    assert.deepEqual(
      audit.map(({ op }: { op: string }) => op),
      ["tenant.put"],
    );
    const { body: imports } = await api().get("/api/busy/admin/imports", key(api()));
    assert.deepEqual(imports, []);
    assert.equal(
      (await api().get("/api/busy/passes", key(api()))).headers.get("x-pagination-total"),
      "0",
    );
  });

  it("waits for a request that was under way, and erases what it wrote", async (t) => {
    await seedPassTenant(api(), "late");
    await api().sql(`
      create function hold() returns trigger language plpgsql as $$
      begin
        if new.tenant_id = 'late' then perform pg_advisory_xact_lock_shared(11); end if;
        return new;
      end $$`);
    await api().sql(
      "create trigger hold before insert on pass for each row execute function hold()",
    );
    const holder = new pg.Client(api().database.connection);
    await holder.connect();
    t.after(() => holder.end());
    await holder.query("select pg_advisory_lock(11)");
    const creating = seedPass(api(), "late");
    const waiting = `
      select from pg_locks
       where locktype = 'advisory' and objid = 11 and not granted
         and database = (select oid from pg_database where datname = current_database())`;
    await until(async () => (await api().sql(waiting)).length > 0);
    await end(api(), "late");
    await sleep(500);
    assert.equal(await isFree(api(), "late"), false);
    const body = { files: { "tenant.yml": "name: Early\n" } };
    const early = await api().put("/api/tenants/late", { ...key(api()), body });
    assert.deepEqual([early.status, early.body.code], [409, "tenant.being-erased"]);

    await holder.query("select pg_advisory_unlock(11)");
    assert.ok((await creating).id);
    await until(() => isFree(api(), "late"));
    assert.deepEqual(await leftOf(api(), "late"), []);
  });

  it("404: requests that were admitted to it write nothing into the next tenant of its id", async () => {
    await seedPassTenant(api(), "next");
    const token = await api().seed.key("next", "Pass.Write");
    const slow = [];
    for (let n = 0; n < 12; n += 1) {
      const credential = n % 2 === 0 ? token : api().operatorKey;
      const body = {
        identifiers: { "loyalty.number": `${n}` },
        additionalData: { firstName: "Ada" },
      };
      slow.push(await beginPost(api(), "/api/next/passes?passType=loyalty", credential, body));
      // Publications make this process forget what it knows of tenants.
      await Promise.all([api().seed.tenant("noise"), api().seed.tenant("next-door")]);
    }
    await end(api(), "next");
    await until(() => isFree(api(), "next"));
    await seedPassTenant(api(), "next");
    for (const { finish } of slow) {
      const answer = await finish();
      assert.match(answer, /^HTTP\/1\.1 404 /);
      assert.match(answer, /tenant\.not-found/);
    }
    const passes = await api().get("/api/next/passes", key(api()));
    assert.deepEqual(passes.body, []);
  });

  it("404: a request that only reads, and was admitted to it, reads nothing of the next one", async () => {
    await seedPassTenant(api(), "read");
    const token = await api().seed.key("read", "TenantConfiguration.Read");
    const body = { passType: "loyalty", additionalData: { firstName: "Ada" } };
    const { finish } = await beginPost(api(), "/api/tenants/read/preview", token, body);
    await end(api(), "read");
    await until(() => isFree(api(), "read"));
    await seedPassTenant(api(), "read");
    // Fits the pictures: without that, the preview would write, and fail for that reason.
    const warm = await api().post("/api/tenants/read/preview", { ...key(api()), body });
    assert.equal(warm.status, 200, warm.text);
    assert.match(await finish(), /^HTTP\/1\.1 404 .*tenant\.not-found/s);
  });

  it("background work of it ends, and does nothing in the next tenant of its id", async () => {
    await api().seed.tenant("worker");
    const call = systemCall(api().runtime, "test.work", { tenantId: "worker" });
    const count = () => call.transaction((tx) => tx.many(sql`select from pass`));
    await count();
    await end(api(), "worker");
    await assert.rejects(count(), { code: "tenant.not-found" });
    await until(() => isFree(api(), "worker"));
    await assert.rejects(count(), { code: "tenant.not-found" });
    await api().seed.tenant("worker");
    await assert.rejects(count(), { code: "tenant.not-found" });
    await assert.rejects(
      call.forTenant("worker").transaction((tx) => tx.many(sql`select from pass`)),
    );
  });

  it("the work of other tenants goes on, and nothing in the log is an error", async () => {
    const errors = api().logLines.filter((line) =>
      ["error", "fatal"].includes(JSON.parse(line).level),
    );
    assert.deepEqual(errors, []);
  });
});

describe("the service with a tenant that has ended", () => {
  it("starts, although the events of the tenant came from another server", async (t) => {
    const api = await startApi(t, { env: { ROLES: "api" } });
    await api.seed.tenant("strays");
    await end(api, "strays");
    await api.sql(`
      update event
         set xact = (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 100000000)::text::xid8
       where tenant_id = 'strays'`);
    await api.node({ ROLES: "api,worker" });
    await until(() => isFree(api, "strays"));
  });

  it("takes up an erasure that failed for good or was lost", async (t) => {
    const api = await startApi(t);
    await api.seed.tenant("lost");
    await api.seed.tenant("ending");
    // As if by another program, to the microsecond.
    await api.sql(`
      update tenant set deleted_at = now() - case id when 'lost' then interval '3 hours 0.000123 seconds'
                                                     else interval '1 hour' end`);
    const run = systemCall(api.runtime, resumeErasures.name);
    await resumeErasures.run(run, {}, new AbortController().signal);
    await until(() => isFree(api, "lost"));
    assert.deepEqual(await leftOf(api, "lost"), []);
    assert.equal(await isFree(api, "ending"), false);
  });
});
