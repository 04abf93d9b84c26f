import assert from "node:assert/strict";
import { describe, it } from "node:test";
import pg from "pg";
import { systemCall } from "#kernel/call.ts";
import { seedCard, seedScanTenant } from "#test/support/scan-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";
import { untilSettled } from "#test/support/until-settled.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { createStage } from "#test/support/webhook-stage.ts";
import { countNumbers, purgeNumbers } from "./number.jobs.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe("GET /api/{tenantId}/admin/numbers (numbers.get)", () => {
  // The counting is done by hand here, so that each test knows when.
  const api = shareApi({ env: { ROLES: "api" } });

  const read = async (tenantId: string, query = "") => {
    const path = `/api/${tenantId}/admin/numbers${query}`;
    const { status, body, text } = await api().get(path, { key: api().operatorKey });
    assert.equal(status, 200, text);
    return body;
  };
  const run = (job: typeof countNumbers) =>
    job.run(systemCall(api().runtime, job.name), {}, new AbortController().signal);
  const count = async () => {
    await untilSettled(api());
    await run(countNumbers);
  };

  let events = 0;
  /** Something that happened so long ago. */
  async function happen(tenantId: string, name: string, data: object, agoMs = 0) {
    events += 1;
    await api().sql(
      `insert into event (tenant_id, id, name, occurred_at, data) values ($1, $2, $3, $4, $5)`,
      [tenantId, `evt_n${events}`, name, new Date(Date.now() - agoMs), JSON.stringify(data)],
    );
  }
  const counted = async (tenantId: string) =>
    Number(
      (
        await api().sql(
          "select coalesce(sum(count), 0) as count from number_by_hour where tenant_id = $1",
          [tenantId],
        )
      )[0]?.count,
    );

  it("200: what happened through the API, before it is counted as after, however often", async () => {
    await seedScanTenant(api(), "shop");
    for (const number of ["1", "2"])
      await seedCard(api(), "shop", number, { unit: "cup", value: 9 });
    const scan = (body: object) =>
      api().post("/api/shop/scans", { key: api().operatorKey, body: { type: "qrcode", ...body } });
    assert.equal((await scan({ data: "M-1" })).body.decision, "accepted");
    const redeem = { privilegeId: "coffee", amount: 2.5 };
    assert.equal((await scan({ data: "M-2", redeem })).body.decision, "accepted");
    assert.equal((await scan({ data: "nobody" })).body.decision, "rejected");

    const first = await read("shop");
    assert.deepEqual(first.total.passes, { issued: 2, installed: 0, removed: 0 });
    assert.deepEqual(first.total.scans, { accepted: 2, rejected: 1 });
    assert.deepEqual(first.total.redemptions, { count: 1, values: [{ unit: "cup", value: 2.5 }] });
    assert.deepEqual(first.steps.at(-1).scans, first.total.scans);
    assert.equal(first.steps.length, 31);
    assert.equal(await counted("shop"), 0);

    await Promise.all([count(), count()]);
    await count();
    assert.equal(await counted("shop"), 2 + 3 + 1);
    assert.deepEqual(await read("shop"), first);
  });

  it("200: stays the same when a pass is erased", async () => {
    await seedScanTenant(api(), "brief");
    const id = await seedCard(api(), "brief", "1");
    await api().post("/api/brief/scans", {
      key: api().operatorKey,
      body: { type: "qrcode", data: "M-1" },
    });
    await count();
    const before = await read("brief");
    assert.equal(before.total.scans.accepted, 1);
    const { status } = await api().delete(`/api/brief/passes/${id}`, { key: api().operatorKey });
    assert.ok(status < 300);
    await count();
    assert.deepEqual((await read("brief")).total, before.total);
  });

  it("200: by the day of a zone or by the hour, beside as much of the period before", async () => {
    await api().seed.tenant("long", { "tenant.yml": "name: long\ntimeZone: Asia/Tokyo\n" });
    const install = { wallet: "apple" };
    await happen("long", "pass.installed", install, 3 * DAY_MS);
    await happen("long", "pass.installed", { wallet: "google" }, 3 * DAY_MS);
    await happen("long", "pass.uninstalled", install, 8 * DAY_MS);
    await happen("long", "pass.update-delivered", { ...install, pushes: 3 }, 2 * HOUR_MS);
    await happen("long", "pass.update-failed", { wallet: "google", pushes: 1 }, 2 * HOUR_MS);
    // A till that was without network tells today of what it read the day before yesterday.
    const scannedAt = new Date(Date.now() - 2 * DAY_MS).toISOString();
    await happen("long", "scan.recorded", { decision: "rejected", scannedAt });
    const ahead = new Date(Date.now() + 9 * DAY_MS).toISOString();
    const moved = { type: "redemption", value: -3, occurredAt: ahead, privilege: { unit: null } };
    await happen("long", "privilege.moved", moved);
    await happen("long", "privilege.moved", { ...moved, type: "adjustment" });

    const check = async () => {
      const week = await read("long", "?days=7");
      assert.deepEqual([week.timeZone, week.step, week.steps.length], ["Asia/Tokyo", "day", 8]);
      assert.deepEqual(week.total.passes, { issued: 0, installed: 2, removed: 0 });
      assert.deepEqual(week.previous.passes, { issued: 0, installed: 0, removed: 1 });
      assert.equal(week.steps[4].passes.installed, 2);
      assert.deepEqual(
        week.steps.map((step: typeof week.total) => step.scans.rejected),
        [0, 0, 0, 0, 0, 1, 0, 0],
      );
      assert.equal(new Date(week.steps[1].from).getUTCHours(), 15, "midnight in Tokyo");
      assert.deepEqual(week.total.redemptions, { count: 1, values: [{ unit: null, value: 3 }] });
      const day = await read("long", "?days=1&timeZone=Europe/Paris");
      assert.deepEqual([day.step, day.steps.length], ["hour", 25]);
      assert.deepEqual(day.steps[22].updates, {
        apple: { delivered: 1, failed: 0, pushes: 3 },
        google: { delivered: 0, failed: 1, pushes: 1 },
      });
      assert.equal(day.total.passes.installed, 0);
    };
    await check();
    await count();
    await check();
  });

  it("200: counts once what a crash interrupted", async () => {
    await api().seed.tenant("crashed");
    for (let at = 0; at < 3; at += 1) await happen("crashed", "pass.created", {});
    await api().sql(`create function crash() returns trigger language plpgsql as
      $$ begin raise exception 'crash'; end $$`);
    await api().sql(`create trigger crash before update on number_cursor
      for each row when (new.tenant_id = 'crashed') execute function crash()`);
    await assert.rejects(count());
    assert.equal(await counted("crashed"), 0);
    assert.equal((await read("crashed")).total.passes.issued, 3);
    await api().sql("drop trigger crash on number_cursor");
    await count();
    await count();
    assert.equal(await counted("crashed"), 3);
    assert.equal((await read("crashed")).total.passes.issued, 3);
  });

  it("200: misses no event of a transaction that ends late, and counts it once", async (t) => {
    await api().seed.tenant("late");
    const slow = new pg.Client(api().database.connection);
    await slow.connect();
    t.after(() => slow.end());
    await slow.query("begin");
    await slow.query("select set_config('app.tenant', 'late', true)");
    await slow.query(
      `insert into event (tenant_id, id, name, occurred_at, data)
       values ('late', 'evt_slow', 'pass.created', now(), '{}')`,
    );
    await happen("late", "pass.created", {});
    await run(countNumbers);
    assert.equal((await read("late")).total.passes.issued, 1);
    await slow.query("commit");
    assert.equal((await read("late")).total.passes.issued, 2);
    await count();
    assert.equal((await read("late")).total.passes.issued, 2);
    assert.equal(await counted("late"), 2);
  });

  it("200: counts anew what is kept when the database was restored on another server", async () => {
    await api().seed.tenant("moved");
    await happen("moved", "pass.created", {}, 3 * DAY_MS);
    await happen("moved", "pass.created", {}, DAY_MS);
    await happen("moved", "pass.created", {});
    await count();
    await api().sql(`delete from event where tenant_id = 'moved'
      and occurred_at < now() - interval '2 days'`);
    await api().sql("update number_cursor set xact = '9000000000000' where tenant_id = 'moved'");
    await happen("moved", "pass.created", {});
    await count();
    await count();
    assert.equal((await read("moved")).total.passes.issued, 4);
  });

  it("200: deliveries to webhooks, as they end", async (t) => {
    await api().node({ ROLES: "worker" }, { owner: t });
    const stage = createStage(api());
    const { hook, receiver } = await stage.open(t);
    const [good = ""] = await stage.happen(hook);
    await stage.settled(hook, good, "delivered");
    receiver.answer(500);
    await stage.happen(hook);
    let seen = await read(hook.tenantId, "?days=1");
    await until(async () => {
      seen = await read(hook.tenantId, "?days=1");
      return seen.total.webhooks.retried > 0;
    });
    assert.deepEqual(seen.total.webhooks, { delivered: 1, failed: 0, retried: 1 });
    assert.deepEqual(seen.steps.at(-1).webhooks, seen.total.webhooks);
  });

  it("200: nothing for a tenant in which nothing happened, and nothing of another", async () => {
    await api().seed.tenant("quiet");
    await api().seed.tenant("busy");
    await happen("busy", "pass.created", {});
    await count();
    const { total, isBehind } = await read("quiet");
    assert.deepEqual(total.passes, { issued: 0, installed: 0, removed: 0 });
    assert.equal(isBehind, false);
  });

  it("400: other periods and zones that there are not; 403: without the scope", async () => {
    await api().seed.tenant("strict");
    const key = await api().seed.key("strict", "Pass.Read");
    for (const query of ["days=2", "days=x", "timeZone=Mars/North", "from=2026-01-01"]) {
      const { status, body } = await api().get(`/api/strict/admin/numbers?${query}`, { key });
      assert.equal(status, 400, query);
      assert.deepEqual(Object.keys(body.errors), [query.split("=")[0]]);
    }
    const weak = await api().seed.key("strict", "Device.Read");
    assert.equal((await api().get("/api/strict/admin/numbers", { key: weak })).status, 403);
    assert.equal((await api().get("/api/busy/admin/numbers", { key })).status, 401);
  });

  it("keeps the numbers of 400 days", async () => {
    await api().sql(`insert into number_by_hour (tenant_id, hour, name, detail, count, value)
      select 'quiet', date_trunc('hour', now()) - days * interval '1 day', 'pass.created', '', 1, 0
        from unnest('{1,399,402}'::int[]) as days`);
    await run(purgeNumbers);
    assert.equal(await counted("quiet"), 2);
  });
});
