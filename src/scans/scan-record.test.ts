import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { abortAfter } from "#test/support/abort-after.ts";
import {
  ageScans,
  scanned,
  seedCard,
  seedDevice,
  seedScanTenant,
} from "#test/support/scan-tenant.ts";
import { startWait } from "#test/support/slowness.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const key = api.operatorKey;
const SCANS = "/api/acme/scans";
await seedScanTenant(api, "acme");

async function scan(data: string, more: Record<string, unknown> = {}) {
  const body = { data, type: "qrcode", ...more };
  const made = scanned(await api.post(SCANS, { key, body }));
  await ageScans(api, 3);
  return made;
}

const list = async (...filters: [string, string, string?][]) => {
  const query = filters.map(
    ([field, value, operator = "equals"], at) =>
      `filter[${at}].field=${field}&filter[${at}].operator=${operator}&filter[${at}].value=${encodeURIComponent(value)}`,
  );
  const { status, body, text, headers } = await api.get(`${SCANS}?${query.join("&")}`, { key });
  assert.equal(status, 200, text);
  const ids: string[] = body.map(({ scanId }: { scanId: string }) => scanId);
  return { ids, total: headers.get("x-pagination-total") };
};

describe("GET /api/:tenantId/scans (scan.list) and /scans/:scanId (scan.get)", () => {
  it("200: newest first, by every filter, and in another order", async () => {
    const passId = await seedCard(api, "acme", "listed");
    const { deviceId } = await seedDevice(api, "acme");
    const first = await scan("M-listed", { deviceId, location: "Gate 1" });
    const second = await scan("nobody", { type: "ean13", reference: "r-2" });
    const third = await scan(passId, { occurredAt: "2026-01-02T03:04:05Z" });
    assert.deepEqual(await list(), {
      ids: [third, second, first].map(({ scanId }) => scanId),
      total: "3",
    });
    const cases: [string, string, string, readonly { scanId: string }[]][] = [
      ["passId", passId, "equals", [third, first]],
      ["passId", "", "exists", []],
      ["deviceId", deviceId, "equals", [first]],
      ["decision", "rejected", "equals", [second]],
      ["reason", "unknown-code", "equals", [second]],
      ["type", "ean13", "equals", [second]],
      ["matched", "false", "equals", [second]],
      ["conflict", "true", "equals", []],
      ["reference", "r-2", "equals", [second]],
      ["location", "Gate", "startsWith", [first]],
      ["scannedAt", "2026-02-01", "lessThan", [third]],
    ];
    for (const [field, value, operator, found] of cases) {
      if (operator === "exists") continue;
      const { ids } = await list([field, value, operator]);
      assert.deepEqual(
        ids,
        found.map(({ scanId }) => scanId),
        field,
      );
    }
    const sorted = await api.get(`${SCANS}?sortBy[0].field=scannedAt`, { key });
    assert.equal(sorted.body[0].scanId, third.scanId);
    const one = await api.get(`${SCANS}/${first.scanId}`, { key });
    assert.deepEqual({ ...one.body, recordedAt: "" }, { ...first, recordedAt: "" });
    assert.notEqual(one.headers.get("etag"), null);
  });

  it("400: a filter that no scan can have; 404: no such scan, or one of another tenant; 401; 403", async () => {
    for (const filter of [
      "field=data&value=x",
      "field=type&value=qr",
      "field=decision&value=maybe",
    ]) {
      const query = filter.replace(/field|value/g, (name) => `filter[0].${name}`);
      const { status } = await api.get(`${SCANS}?${query}&filter[0].operator=equals`, { key });
      assert.equal(status, 400, filter);
    }
    await seedScanTenant(api, "rival");
    const body = { data: "of a rival", type: "qrcode" };
    const { scanId } = scanned(await api.post("/api/rival/scans", { key, body }));
    for (const id of [scanId, "sc_nobody"]) {
      const { status, body: told } = await api.get(`${SCANS}/${id}`, { key });
      assert.deepEqual([status, told.code], [404, "scan.not-found"]);
      assert.equal((await api.get(`${SCANS}/${id}`)).status, 401);
    }
    const scanner = await api.seed.key("acme", "PassScan.Scan");
    assert.equal((await api.get(`${SCANS}/${scanId}`, { key: scanner })).status, 403);
  });

  it("200: the last hundred scans of a pass by expand=scans, newest first", async () => {
    const id = await seedCard(api, "acme", "expanded");
    const made = [];
    for (const data of ["M-expanded", id, "expanded"]) made.unshift((await scan(data)).scanId);
    const { body } = await api.get(`/api/acme/passes/${id}?expand=scans`, { key });
    assert.deepEqual(
      body.scans.map(({ scanId }: { scanId: string }) => scanId),
      made,
    );
    await api.sql(
      `insert into scan select tenant_id, id || '-' || n, data, type, scanner, device_id, pass_id, about,
              decision, reason, offline_decision, is_offline, conflict, location, reference, wish,
              outcome, scanned_at, recorded_at
         from scan, generate_series(1, 50) as n where pass_id = $1`,
      [id],
    );
    const more = await api.get(`/api/acme/passes/${id}?expand=scans`, { key });
    assert.equal(more.body.scans.length, 100);
  });
});

/** Until so many of the product's connections wait for a lock. */
async function waiting(count: number): Promise<void> {
  for (const isOver = startWait(4_000); !isOver(); await sleep(10)) {
    const rows = await api.sql(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (rows.length >= count) return;
  }
  assert.fail("nobody waits");
}

describe("erasing a pass", () => {
  it("erases what its scans tell of the person, wherever it is; that they happened stays", async () => {
    const id = await seedCard(api, "acme", "erased-person");
    const headers = { "idempotency-key": "erased" };
    const body = { data: "M-erased-person", type: "qrcode", reference: "erased-person-order" };
    const first = await api.post(SCANS, { key, body, headers });
    await ageScans(api, 3);
    await scan("erased-person", { redeem: { privilegeId: "coffee", amount: 1 } });
    assert.equal((await api.delete(`/api/acme/passes/${id}`, { key })).status, 204);
    const { body: left } = await api.get(`${SCANS}/${first.body.scanId}`, { key });
    assert.deepEqual(
      [left.data, left.pass, left.privileges, left.reference, left.matched, left.passId],
      [null, null, [], null, true, id],
    );
    assert.deepEqual([left.decision, left.type], ["accepted", "qrcode"]);
    for (const table of ["scan", "event", "issued_code", "audit", "movement", "privilege"]) {
      const rows = await api.sql(`select * from ${table}`);
      assert.ok(!JSON.stringify(rows).includes("erased-person"), table);
    }
    const again = await api.post(SCANS, { key, body, headers });
    assert.ok(!again.text.includes("erased-person"));
    assert.equal((await scan("M-erased-person")).reason, "unknown-code");
  });

  it("leaves nothing of a scan that is being recorded, neither its event nor its stored answer", async (t) => {
    const id = await seedCard(api, "acme", "in-flight");
    const other = new pg.Client(api.database.connection);
    await other.connect();
    t.after(() => other.end());
    await other.query("begin; lock table scan in share mode");
    const body = { data: "M-in-flight", type: "qrcode" };
    const headers = { "idempotency-key": "in-flight" };
    const sent = api.post(SCANS, { key, body, headers });
    await waiting(1);
    const gone = api.delete(`/api/acme/passes/${id}`, { key });
    await waiting(2);
    await other.query("commit");
    assert.deepEqual([(await sent).status, (await gone).status], [201, 204]);
    for (const table of ["scan", "event", "audit"]) {
      const rows = await api.sql(`select * from ${table}`);
      assert.ok(!JSON.stringify(rows).includes("in-flight"), table);
    }
    const { status, body: told } = await api.post(SCANS, { key, body, headers });
    assert.deepEqual([status, told.code], [409, "idempotency.answer-erased"]);
  });

  it("erases the stored answers of dry runs, of codes read twice and of batches sent again", async () => {
    const id = await seedCard(api, "acme", "shown-again");
    const body = { data: "M-shown-again", type: "qrcode" };
    const scans = [{ ...body, reference: "shown-1" }];
    const sent: [path: string, body: unknown][] = [
      [SCANS, { ...body, dryRun: true }],
      [SCANS, body],
      [`${SCANS}/batch`, { scans }],
    ];
    await api.post(SCANS, { key, body });
    await api.post(`${SCANS}/batch`, { key, body: { scans } });
    const ask = async () => {
      const answers = [];
      for (const [at, [path, asked]] of sent.entries()) {
        const headers = { "idempotency-key": `shown-${at}` };
        answers.push(await api.post(path, { key, body: asked, headers }));
      }
      return answers;
    };
    const [dry, twice, batch] = await ask();
    assert.equal(dry?.body.dryRun, true);
    assert.notEqual(twice?.body.duplicateOf, undefined);
    assert.equal(batch?.body.results[0].outcome, "repeated");
    for (const { text } of await ask()) assert.ok(text.includes("shown-again"));
    assert.equal((await api.delete(`/api/acme/passes/${id}`, { key })).status, 204);
    for (const { status, text } of await ask()) {
      assert.equal(status, 409, text);
      assert.ok(text.includes("answer-erased"));
    }
  });

  it("204: while scans redeem on the pass, and neither waits for the other in a circle", async () => {
    const until = api.logLines.length;
    for (let round = 0; round < 3; round += 1) {
      const id = await seedCard(api, "acme", `redeemed-${round}`, { value: 100 });
      const devices = await Promise.all([1, 2, 3].map(() => seedDevice(api, "acme")));
      const redeem = { privilegeId: "coffee", amount: 1 };
      const scans = devices.map(({ key: device }) =>
        api.post(SCANS, { key: device, body: { data: id, type: "qrcode", redeem } }),
      );
      const gone = await api.delete(`/api/acme/passes/${id}`, { key });
      assert.equal(gone.status, 204, gone.text);
      for (const answer of await Promise.all(scans)) scanned(answer);
    }
    const told = api.logLines.slice(until).filter((line) => line.includes("run again"));
    assert.deepEqual(told, []);
  });

  it("leaves nothing of scans that are recorded at the same instant", async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await seedCard(api, "acme", `instant-${round}`);
      const devices = await Promise.all([1, 2, 3, 4].map(() => seedDevice(api, "acme")));
      const [gone, ...scans] = await Promise.all([
        api.delete(`/api/acme/passes/${id}`, { key }),
        ...devices.map(({ key: device }) =>
          api.post(SCANS, { key: device, body: { data: id, type: "qrcode" } }),
        ),
      ]);
      assert.equal(gone.status, 204, gone.text);
      for (const answer of scans) scanned(answer);
      const kept = await api.sql("select outcome, data from scan where pass_id = $1", [id]);
      assert.ok(kept.every(({ data }) => data === null));
      const told = await api.sql(
        "select data from event where name = 'scan.recorded' and data ->> 'passId' = $1",
        [id],
      );
      assert.deepEqual(told, []);
    }
  });
});

describe("retention.scanDays", () => {
  it("deletes scans that are older, and keeps all without it", async () => {
    await api.seed.tenant("short", { "tenant.yml": "name: Short\nretention: { scanDays: 7 }\n" });
    const body = { data: "abcd", type: "qrcode" };
    const { scanId } = scanned(await api.post("/api/short/scans", { key, body }));
    await api.sql(
      `insert into scan select tenant_id, 'sc_0', data, type, scanner, device_id, pass_id, about,
              decision, reason, offline_decision, is_offline, conflict, location, reference, wish,
              outcome, scanned_at, recorded_at - interval '1 year'
         from scan where id = $1`,
      [scanId],
    );
    const { purgeScans } = await import("./scan.jobs.ts");
    const { systemCall } = await import("#kernel/call.ts");
    const call = systemCall(api.runtime, "scan.purge");
    await purgeScans.run(call, {}, AbortSignal.timeout(60_000));
    const left = await api.sql("select id from scan where tenant_id = 'short'");
    assert.deepEqual(left, [{ id: scanId }]);
  });

  it("tenants take turns, so that one with very many scans delays no other", async () => {
    const { purgeScans } = await import("./scan.jobs.ts");
    const { systemCall } = await import("#kernel/call.ts");
    const tenantIds = ["turn-a", "turn-b"];
    for (const tenantId of tenantIds) {
      const file = `name: ${tenantId}\nretention: { scanDays: 7 }\n`;
      await api.seed.tenant(tenantId, { "tenant.yml": file });
      await api.sql(
        `insert into scan select $1, 'sc_0000' || n, data, type, scanner, device_id, pass_id, about,
                decision, reason, offline_decision, is_offline, conflict, location, null, wish,
                outcome, scanned_at, recorded_at
           from (select * from scan where tenant_id = 'short' limit 1) as one,
                generate_series(1, case when $1 = 'turn-a' then 3500 else 3 end) as n`,
        [tenantId],
      );
    }
    const purge = (signal: AbortSignal) =>
      purgeScans.run(systemCall(api.runtime, purgeScans.name), {}, signal);
    const left = async () => {
      const rows = await api.sql(
        "select tenant_id from scan where tenant_id = any($1) order by tenant_id",
        [tenantIds],
      );
      return tenantIds.map((id) => rows.filter((row) => row.tenant_id === id).length);
    };
    const tenants = await api.sql("select distinct tenant_id from scan");
    await purge(abortAfter(tenants.length));
    assert.deepEqual(await left(), [2_500, 0]);
    await purge(AbortSignal.timeout(60_000));
    assert.deepEqual(await left(), [0, 0]);
  });
});
