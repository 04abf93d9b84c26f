import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { ageScans, seedCard, seedDevice, seedScanTenant } from "#test/support/scan-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const key = api.operatorKey;
const BATCH = "/api/acme/scans/batch";
await seedScanTenant(api, "acme");

type Result = {
  reference: string | null;
  outcome: string;
  conflict: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  scan: any;
  errors?: Record<string, string[]>;
};

async function send(scans: readonly unknown[], more: Record<string, unknown> = {}) {
  const { status, body, text } = await api.post(BATCH, { key, body: { scans }, ...more });
  assert.equal(status, 200, text);
  return body.results as Result[];
}

let count = 0;
function offline(data: string, more: Record<string, unknown> = {}) {
  count += 1;
  return { data, type: "qrcode", reference: `off-${count}`, ...more };
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const coffee = (amount: number) => ({ redeem: { privilegeId: "coffee", amount } });

describe("POST /api/:tenantId/scans/batch (scan.batch)", () => {
  it("200: a result for each scan in its place; a bad one is refused alone", async () => {
    await seedCard(api, "acme", "places");
    const occurredAt = minutesAgo(30);
    const scans = [
      offline("M-places", { occurredAt }),
      { data: "xy", type: "qrcode", reference: "short" },
      offline("nobody"),
      { data: "no reference", type: "qrcode" },
      offline("M-places", { occurredAt: minutesAgo(-30) }),
      offline("M-places", { deviceId: "till-nobody-knows" }),
      offline("M-places", { redeem: { privilegeId: "coffee", amount: -1 } }),
      { reference: 7 },
    ];
    const results = await send(scans);
    assert.deepEqual(
      results.map(({ outcome, scan, errors }) => [
        outcome,
        scan?.reason,
        errors && Object.keys(errors),
      ]),
      [
        ["recorded", null, undefined],
        ["refused", undefined, ["data"]],
        ["recorded", "unknown-code", undefined],
        ["refused", undefined, ["reference"]],
        ["refused", undefined, ["occurredAt"]],
        ["refused", undefined, ["deviceId"]],
        ["refused", undefined, ["redeem.amount"]],
        ["refused", undefined, ["data", "type", "reference"]],
      ],
    );
    assert.equal(results[0]?.scan.scannedAt, occurredAt);
    assert.deepEqual([results[1]?.reference, results[3]?.reference], ["short", null]);
  });

  it("200: the same reference of the same device is recorded once, and answered again", async () => {
    const id = await seedCard(api, "acme", "again", { value: 10 });
    const [left, right] = [await seedDevice(api, "acme"), await seedDevice(api, "acme")];
    const scans = Array.from({ length: 6 }, () => offline("M-again", coffee(1)));
    const twice = [...scans, scans[0]];
    const first = await send(twice, { key: left.key });
    assert.deepEqual(
      first.map(({ outcome }) => outcome),
      [...Array(6).fill("recorded"), "repeated"],
    );
    const both = await Promise.all([
      send(scans, { key: left.key }),
      send(scans, { key: left.key }),
    ]);
    for (const results of both) {
      for (const [at, { outcome, scan }] of results.entries()) {
        assert.equal(outcome, "repeated");
        assert.deepEqual(scan, { ...first[at]?.scan, duplicateOf: first[at]?.scan.scanId });
      }
    }
    const other = await send(scans.slice(0, 1), { key: right.key });
    assert.equal(other[0]?.outcome, "recorded");
    const { body } = await api.get(`/api/acme/passes/${id}/privileges/coffee`, { key });
    assert.equal(body.value, 3);
  });

  it("200: refused: another code under a reference that is taken, and nobody else's answer is shown", async () => {
    await seedCard(api, "acme", "one-ref");
    await seedCard(api, "acme", "two-ref");
    const first = offline("M-one-ref");
    const other = { ...first, data: "M-two-ref" };
    const outcomes = async (scans: readonly unknown[], more = {}) =>
      (await send(scans, more)).map(({ outcome, scan, errors }) => [
        outcome,
        scan?.data ?? null,
        errors && Object.keys(errors),
      ]);
    const refused = ["refused", null, ["reference"]];
    assert.deepEqual(await outcomes([first, other]), [
      ["recorded", "M-one-ref", undefined],
      refused,
    ]);
    const headers = { "idempotency-key": "other-ref" };
    for (const more of [{}, { headers }]) {
      assert.deepEqual(await outcomes([other, first], more), [
        refused,
        ["repeated", "M-one-ref", undefined],
      ]);
    }
  });

  it("200: two at the same instant record each scan once", async () => {
    const id = await seedCard(api, "acme", "race", { value: 10 });
    const scans = Array.from({ length: 5 }, () => offline("M-race", coffee(1)));
    const { key: device } = await seedDevice(api, "acme");
    const all = (await Promise.all([1, 2, 3].map(() => send(scans, { key: device })))).flat();
    assert.equal(all.filter(({ outcome }) => outcome === "recorded").length, 5);
    const { body } = await api.get(`/api/acme/passes/${id}/privileges/coffee`, { key });
    assert.equal(body.value, 5);
  });

  it("200: a scan whose answer got lost is not recorded again when it is sent as an offline one", async () => {
    await seedCard(api, "acme", "lost");
    const { key: device } = await seedDevice(api, "acme");
    const body = { data: "M-lost", type: "qrcode", reference: "lost-1" };
    const made = await api.post("/api/acme/scans", { key: device, body });
    const [again] = await send([{ ...body, decision: "accepted" }], { key: device });
    assert.deepEqual([again?.outcome, again?.scan.scanId], ["repeated", made.body.scanId]);
  });

  it("201: a scan that came as an offline one is not redeemed again when it comes late with network", async () => {
    const id = await seedCard(api, "acme", "late", { value: 10 });
    const { key: device } = await seedDevice(api, "acme");
    const body = { data: "M-late", type: "qrcode", reference: "late-1", ...coffee(1) };
    const [first] = await send([body], { key: device });
    const late = await api.post("/api/acme/scans", { key: device, body });
    assert.deepEqual([late.status, late.body.duplicateOf], [201, first?.scan.scanId]);
    const other = { ...body, data: id };
    const receipt = await api.post("/api/acme/scans", { key: device, body: other });
    assert.deepEqual([receipt.status, receipt.body.duplicateOf], [201, undefined]);
    const { body: left } = await api.get(`/api/acme/passes/${id}/privileges/coffee`, { key });
    assert.equal(left.value, 8);
  });

  it("200: the same scan with network and without, at the same instant, is redeemed once", async () => {
    const id = await seedCard(api, "acme", "both-ways", { value: 100 });
    const { key: device } = await seedDevice(api, "acme");
    const rounds = Array.from({ length: 10 }, (_, at) => at);
    for (const at of rounds) {
      const body = { data: "M-both-ways", type: "qrcode", reference: `both-${at}`, ...coffee(1) };
      const [online, [offline]] = await Promise.all([
        api.post("/api/acme/scans", { key: device, body }),
        send([body], { key: device }),
      ]);
      assert.equal(online.body.scanId, offline?.scan.scanId);
      await ageScans(api, 3);
    }
    const { body } = await api.get(`/api/acme/passes/${id}/privileges/coffee`, { key });
    assert.equal(body.value, 100 - rounds.length);
  });

  it("200: a conflict where the device had decided otherwise: in the answer, the record and the event", async () => {
    const id = await seedCard(api, "acme", "conflict", { value: 1 });
    const scans = [
      offline("M-conflict", { decision: "accepted", ...coffee(1) }),
      offline("M-conflict", { decision: "accepted", ...coffee(1) }),
      offline("M-conflict", { decision: "rejected" }),
      offline("M-conflict"),
      offline("M-nobody-knows", { decision: "accepted" }),
      offline("M-nobody-knows", { decision: "rejected" }),
    ];
    const results = await send(scans);
    assert.deepEqual(
      results.map(({ conflict, scan }) => [conflict, scan.decision, scan.reason]),
      [
        [false, "accepted", null],
        [true, "rejected", "insufficient-value"],
        [true, "accepted", null],
        [false, "accepted", null],
        [true, "rejected", "unknown-code"],
        [false, "rejected", "unknown-code"],
      ],
    );
    const filter = "filter[0].field=conflict&filter[0].value=true&filter[0].operator=equals";
    const { body: kept } = await api.get(`/api/acme/scans?${filter}`, { key });
    const ids = kept.map(({ scanId }: { scanId: string }) => scanId);
    assert.deepEqual(
      ids,
      [4, 2, 1].map((at) => results[at]?.scan.scanId),
    );
    const told = await api.sql(
      "select 1 from event where name = 'scan.recorded' and (data -> 'conflict')::boolean",
    );
    assert.equal(told.length, 3);
    const { body } = await api.get(`/api/acme/passes/${id}/privileges/coffee`, { key });
    assert.equal(body.value, 0);
  });

  it("200: whoever was turned away does not pay for it, and it is a conflict only if there was enough", async () => {
    const id = await seedCard(api, "acme", "turned-away", { value: 1 });
    const [enough, tooMuch] = await send([
      offline("M-turned-away", { decision: "rejected", ...coffee(1) }),
      offline("M-turned-away", { decision: "rejected", ...coffee(2) }),
    ]);
    assert.deepEqual([enough?.conflict, enough?.scan.decision], [true, "accepted"]);
    assert.deepEqual([tooMuch?.conflict, tooMuch?.scan.reason], [false, "insufficient-value"]);
    const { body } = await api.get(`/api/acme/passes/${id}/privileges/coffee`, { key });
    assert.equal(body.value, 1);
  });

  it("200: whether a pass was valid is judged by the time of the scan", async () => {
    const id = await seedCard(api, "acme", "window");
    await api.sql("update pass set expires_at = now() - interval '1 hour' where id = $1", [id]);
    const results = await send([
      offline("M-window", { occurredAt: minutesAgo(90) }),
      offline("M-window", { occurredAt: minutesAgo(30) }),
    ]);
    assert.deepEqual(
      results.map(({ scan }) => scan.reason),
      [null, "expired"],
    );
  });

  it("200: so is whether a privilege was valid; up to seven days ago, and ahead counts as now", async () => {
    await seedCard(api, "acme", "past", { value: 9, validUntil: minutesAgo(60) });
    const results = await send([
      offline("M-past", { occurredAt: minutesAgo(90), ...coffee(1) }),
      offline("M-past", { occurredAt: minutesAgo(30), ...coffee(1) }),
      offline("M-past", { occurredAt: minutesAgo(7 * 1_440 - 1) }),
      offline("M-past", { occurredAt: minutesAgo(7 * 1_440 + 1) }),
      offline("M-past", { occurredAt: minutesAgo(-4) }),
    ]);
    assert.deepEqual(
      results.map(({ scan, errors }) => scan?.reason ?? (errors ? Object.keys(errors) : null)),
      [null, "expired", null, ["occurredAt"], null],
    );
    const ahead = results[4]?.scan;
    assert.ok(ahead.scannedAt <= ahead.recordedAt);
    const body = { data: "M-past", type: "qrcode", occurredAt: minutesAgo(90), ...coffee(1) };
    const online = await api.post("/api/acme/scans", { key, body });
    assert.deepEqual([online.status, online.body.reason], [201, "expired"]);
    assert.equal(online.body.scannedAt, body.occurredAt);
  });

  it("400: no scans, more than 500, or a body that is none; 403 without the scope", async () => {
    for (const body of [
      {},
      { scans: [] },
      { scans: Array(501).fill(offline("abcd")) },
      { scans: [7] },
    ]) {
      assert.equal((await api.post(BATCH, { key, body })).status, 400);
    }
    assert.equal((await api.post(BATCH, { body: { scans: [offline("abcd")] } })).status, 401);
    const reader = await api.seed.key("acme", "PassScan.Read");
    const body = { scans: [offline("abcd")] };
    assert.equal((await api.post(BATCH, { key: reader, body })).status, 403);
  });

  it("200: with an Idempotency-Key too, each in a transaction of its own", async () => {
    const scans = [offline("abcd"), { data: "x" }, offline("efgh")];
    const headers = { "idempotency-key": "batch-1" };
    const first = await send(scans, { headers });
    assert.deepEqual(await send(scans, { headers }), first);
    assert.deepEqual(
      first.map(({ outcome }) => outcome),
      ["recorded", "refused", "recorded"],
    );
    const references = first.flatMap(({ outcome, reference }) =>
      outcome === "recorded" ? [reference] : [],
    );
    const [made] = await api.sql(
      "select count(distinct xmin::text)::integer as count from scan where reference = any($1)",
      [references],
    );
    assert.equal(made?.count, 2);
  });

  it("200: batches of the same passes in any order, each with a key, at the same instant", async () => {
    const numbers = Array.from({ length: 6 }, (_, at) => `circle-${at}`);
    const ids = await Promise.all(
      numbers.map((number) => seedCard(api, "acme", number, { value: 10 })),
    );
    const orders = [numbers, numbers.toReversed(), numbers, numbers.toReversed()];
    const all = await Promise.all(
      orders.map((order, at) =>
        send(
          order.map((number) => offline(`M-${number}`, coffee(1))),
          { headers: { "idempotency-key": `circle-${at}` } },
        ),
      ),
    );
    assert.ok(all.flat().every(({ outcome }) => outcome === "recorded"));
    for (const id of ids) {
      const { body } = await api.get(`/api/acme/passes/${id}/privileges/coffee`, { key });
      assert.equal(body.value, 6);
    }
    assert.ok(!api.logLines.some((line) => line.includes("deadlock")));
  });
});
