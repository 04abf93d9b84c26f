import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import {
  ageScans,
  scanned,
  seedCard,
  seedDevice,
  seedScanTenant,
} from "#test/support/scan-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const key = api.operatorKey;
const SCANS = "/api/acme/scans";
await seedScanTenant(api, "acme");

const post = (body: unknown, more = {}) => api.post(SCANS, { key, body, ...more });

/** Each from another scanner, so that none is taken for another one read twice. */
async function scan(data: string, more: Record<string, unknown> = {}) {
  const body = scanned(await post({ data, type: "qrcode", ...more }));
  await ageScans(api, 3);
  return body;
}

async function countScans(): Promise<number> {
  const [row] = await api.sql("select count(*)::integer as count from scan");
  return Number(row?.count);
}

const eventsOf = (scanId: string) =>
  api.sql("select data from event where name = 'scan.recorded' and data ->> 'scanId' = $1", [
    scanId,
  ]);

async function worthOf(passId: string): Promise<unknown> {
  const path = `/api/acme/passes/${passId}/privileges/coffee`;
  return (await api.get(path, { key })).body.value;
}

describe("POST /api/:tenantId/scans (scan.create)", () => {
  it("201: accepted by the barcode as issued, the id or a unique identifier, with all that a till needs", async () => {
    const id = await seedCard(api, "acme", "first");
    for (const data of ["M-first", id, "first"]) {
      const body = await scan(data, { location: "Gate 4", reference: "r1" });
      assert.deepEqual(
        [body.matched, body.decision, body.reason, body.passId, body.data],
        [true, "accepted", null, id, data],
      );
      assert.deepEqual(body.pass, {
        id,
        passType: "loyalty",
        status: "active",
        identifiers: { "loyalty.number": "first" },
        displayName: "Ada first",
      });
      const values = body.privileges.map((privilege: Record<string, unknown>) => [
        privilege.privilegeId,
        privilege.value,
      ]);
      assert.deepEqual(values, [
        ["coffee", 2],
        ["points", 0],
      ]);
      assert.deepEqual([body.location, body.reference, body.conflict], ["Gate 4", "r1", false]);
      assert.equal("movement" in body || "duplicateOf" in body || "dryRun" in body, false);
      const [event, ...others] = await eventsOf(body.scanId);
      assert.deepEqual([event?.data, others], [body, []]);
    }
  });

  it("201: an unknown code is rejected and kept", async () => {
    const { headers, body } = await post({ data: "nobody's", type: "ean13" });
    assert.deepEqual(
      [body.matched, body.decision, body.reason, body.pass, body.privileges],
      [false, "rejected", "unknown-code", null, []],
    );
    const { body: kept } = await api.get(headers.get("location") ?? "", { key });
    assert.deepEqual(kept, body);
    assert.equal((await eventsOf(body.scanId)).length, 1);
  });

  it("201: a disabled pass, and one whose time is over, though no job noticed it yet", async () => {
    const id = await seedCard(api, "acme", "over");
    await api.sql("update pass set expires_at = now() - interval '1 hour' where id = $1", [id]);
    const over = await scan("M-over");
    assert.deepEqual(
      [over.decision, over.reason, over.pass.status],
      ["rejected", "expired", "expired"],
    );
    const early = await scan("M-over", {
      occurredAt: new Date(Date.now() - 7_200_000).toISOString(),
    });
    assert.deepEqual([early.decision, early.pass.status], ["rejected", "expired"]);
    await api.sql("update pass set status = 'disabled' where id = $1", [id]);
    assert.equal((await scan("M-over")).reason, "disabled");
  });

  it("201: compares exactly, whatever is added or changed", async () => {
    const id = await seedCard(api, "acme", "exact");
    const other = fc.oneof(
      fc.constantFrom("M-exact\n", "M-exact ", " M-exact", "m-exact", "M-exac", "M-exact\u200b"),
      fc.string({ unit: fc.constantFrom(..."M-é😀\n\t'%"), minLength: 3 }),
    );
    for (const data of fc.sample(other, 25)) {
      const body = await scan(data);
      assert.deepEqual([body.matched, body.data], [data === "M-exact", data]);
    }
    assert.equal((await scan("M-exact")).passId, id);
  });

  it("400: data of 2 and 2,049 characters, 201 of 3 and 2,048, counted as people do", async () => {
    for (const character of ["x", "é", "😀"]) {
      for (const length of [3, 2_048]) {
        assert.equal((await post({ data: character.repeat(length), type: "qrcode" })).status, 201);
      }
      for (const length of [0, 2, 2_049]) {
        const { status, body } = await post({ data: character.repeat(length), type: "qrcode" });
        assert.deepEqual([status, Object.keys(body.errors)], [400, ["data"]]);
      }
    }
  });

  it("400: NUL, halves of surrogate pairs and everything else that is not well-formed, by field", async () => {
    const headers = { "content-type": "application/json" };
    for (const data of ["abc\\u0000", "abc\\ud800", "\\udc00abc", "abc\\ud83d\\u0041"]) {
      const { status, body } = await api.request("POST", SCANS, {
        key,
        headers,
        rawBody: `{"type":"qrcode","data":"${data}"}`,
      });
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [400, ["data"]], data);
    }
    const good = { data: "abcd", type: "qrcode" };
    const ahead = new Date(Date.now() + 600_000).toISOString();
    const bad: [string, Record<string, unknown>][] = [
      ["data", { data: 12345 }],
      ["type", { type: "qr" }],
      ["deviceId", { deviceId: "till-nobody-knows" }],
      ["location", { location: "" }],
      ["reference", { reference: "x".repeat(201) }],
      ["occurredAt", { occurredAt: "yesterday" }],
      ["occurredAt", { occurredAt: ahead }],
      ["redeem.amount", { redeem: { privilegeId: "coffee", amount: 0 } }],
      ["redeem.amount", { redeem: { privilegeId: "coffee", amount: -1 } }],
      ["redeem.amount", { redeem: { privilegeId: "coffee", amount: "1e400" } }],
      ["redeem.amount", { redeem: { privilegeId: "coffee" } }],
      ["redeem.privilegeId", { redeem: { privilegeId: "a b", amount: 1 } }],
      ["passId", { passId: "ps_1" }],
    ];
    for (const [field, change] of bad) {
      const { status, body, text } = await post({ ...good, ...change });
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [400, [field]], text);
    }
  });

  it("201: a dry run says what would happen, and nothing happens", async () => {
    const id = await seedCard(api, "acme", "dry");
    const before = [await countScans(), (await api.sql("select 1 from event")).length];
    const wishes = [
      [{}, null],
      [{ redeem: { privilegeId: "coffee", amount: 2 } }, null],
      [{ redeem: { privilegeId: "coffee", amount: 2.5 } }, "insufficient-value"],
      [{ redeem: { privilegeId: "tea", amount: 1 } }, "unknown-privilege"],
    ] as const;
    for (const [more, reason] of wishes) {
      const { headers, body } = await post({ data: "M-dry", type: "nfc", dryRun: true, ...more });
      assert.deepEqual(
        [
          body.scanId,
          body.recordedAt,
          body.dryRun,
          body.passId,
          body.reason,
          headers.get("location"),
        ],
        [null, null, true, id, reason, null],
      );
    }
    assert.equal(
      (await post({ data: "nobody", type: "nfc", dryRun: true })).body.reason,
      "unknown-code",
    );
    assert.deepEqual([await countScans(), (await api.sql("select 1 from event")).length], before);
    assert.equal(await worthOf(id), 2);
  });

  it("401, 403: without a key, and without the scope", async () => {
    const body = { data: "abcd", type: "qrcode" };
    assert.equal((await api.post(SCANS, { body })).status, 401);
    const reader = await api.seed.key("acme", "PassScan.Read");
    assert.equal((await api.post(SCANS, { key: reader, body })).status, 403);
    const scanner = await api.seed.key("acme", "PassScan.Scan");
    assert.equal((await api.get(SCANS, { key: scanner })).status, 403);
    assert.equal((await api.post(SCANS, { key: scanner, body })).status, 201);
  });

  it("201: finds no pass of another tenant", async () => {
    await seedScanTenant(api, "rival");
    const id = await seedCard(api, "rival", "foreign");
    for (const data of ["M-foreign", id, "foreign"]) {
      assert.equal((await scan(data)).reason, "unknown-code");
    }
  });

  it("201, then the same answer again: with an Idempotency-Key", async () => {
    const id = await seedCard(api, "acme", "once");
    const headers = { "idempotency-key": "scan-once" };
    const body = { data: "M-once", type: "qrcode", redeem: { privilegeId: "coffee", amount: 1 } };
    const first = await post(body, { headers });
    await ageScans(api, 3);
    const again = await post(body, { headers });
    assert.deepEqual([again.status, again.text], [201, first.text]);
    assert.equal(again.headers.get("idempotency-replayed"), "true");
    assert.equal(await worthOf(id), 1);
  });
});

describe("a scan that redeems", () => {
  const redeem = (amount: unknown, privilegeId = "coffee") => ({ redeem: { privilegeId, amount } });

  it("201: moves in the same transaction, and shows the value after it", async () => {
    const id = await seedCard(api, "acme", "redeem", { value: "123456789012345.6789" });
    const answer = await post({
      data: "M-redeem",
      type: "qrcode",
      reference: "r-7",
      ...redeem("0.0001"),
    });
    assert.match(answer.text, /"valueAfter":123456789012345\.6788/);
    const { movement, privileges, scanId } = answer.body;
    assert.deepEqual(
      [movement.type, movement.value, movement.reference],
      ["redemption", -0.0001, "r-7"],
    );
    assert.equal(privileges[0].version, 2);
    const { text } = await api.get(`${SCANS}/${scanId}`, { key });
    assert.match(text, /"valueBefore":123456789012345\.6789/);
    const told = await api.sql(
      "select name, data from event where subject = $1 order by id desc limit 2",
      [id],
    );
    assert.deepEqual(
      told.map(({ name }) => name),
      ["scan.recorded", "privilege.moved"],
    );
  });

  it("201: a redemption that is not possible is a rejected scan, recorded, and nothing moves", async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const past = new Date(Date.now() - 3_600_000).toISOString();
    const cases: [string, Record<string, unknown>, unknown, string?][] = [
      ["insufficient-value", { value: 2 }, 3],
      ["not-yet-valid", { value: 2, validFrom: soon }, 1],
      ["expired", { value: 2, validUntil: past }, 1],
      ["locked-privilege", { type: "Unlockable", value: 2 }, 1],
      ["unknown-privilege", { value: 2 }, 1, "tea"],
    ];
    for (const [reason, privilege, amount, privilegeId] of cases) {
      const id = await seedCard(api, "acme", `no-${reason}`, privilege);
      const body = await scan(`M-no-${reason}`, redeem(amount, privilegeId));
      assert.deepEqual(
        [body.decision, body.reason, "movement" in body],
        ["rejected", reason, false],
      );
      assert.equal(await worthOf(id), 2);
      assert.equal((await eventsOf(body.scanId)).length, 1);
      const redeemed = "select 1 from movement where pass_id = $1 and type = 'redemption'";
      assert.deepEqual(await api.sql(redeemed, [id]), []);
    }
    await seedCard(api, "acme", "single", { type: "OneTime", value: 1 });
    assert.equal((await scan("M-single", redeem(1))).decision, "accepted");
    assert.equal((await scan("M-single", redeem(1))).reason, "already-redeemed");
  });

  it("201: of 20 at once for the last unit one is accepted, and one moves", async () => {
    const id = await seedCard(api, "acme", "last", { value: 1 });
    const devices = await Promise.all(Array.from({ length: 20 }, () => seedDevice(api, "acme")));
    const answers = await Promise.all(
      devices.map(({ deviceId }) =>
        post({ data: "M-last", type: "qrcode", deviceId, ...redeem(1) }),
      ),
    );
    const reasons = answers.map(({ body }) => body.reason).sort();
    assert.deepEqual(reasons, [...Array(19).fill("insufficient-value"), null]);
    assert.equal(await worthOf(id), 0);
  });
});

describe("a code that is read twice", () => {
  it("201: the first answer again within three seconds, and a new scan after them", async () => {
    const id = await seedCard(api, "acme", "twice");
    const { deviceId } = await seedDevice(api, "acme");
    const body = {
      data: "M-twice",
      type: "qrcode",
      deviceId,
      redeem: { privilegeId: "coffee", amount: 1 },
    };
    const first = scanned(await post(body));
    const count = await countScans();
    await ageScans(api, 2.5);
    const again = scanned(await post(body));
    assert.deepEqual(again, {
      ...first,
      recordedAt: again.recordedAt,
      duplicateOf: first.scanId,
    });
    assert.deepEqual([await countScans(), await worthOf(id)], [count, 1]);
    await ageScans(api, 0.5);
    const later = scanned(await post(body));
    assert.notEqual(later.scanId, first.scanId);
    assert.equal("duplicateOf" in later, false);
    assert.equal(await worthOf(id), 0);
  });

  it("201: by whom counts: another device, or another credential where no device is named", async () => {
    const [left, right] = [await seedDevice(api, "acme"), await seedDevice(api, "acme")];
    const keys = [
      await api.seed.key("acme", "PassScan.Scan"),
      await api.seed.key("acme", "PassScan.Scan"),
    ];
    const body = { data: "whoever", type: "qrcode" };
    const senders = [
      { key, body: { ...body, deviceId: left.deviceId } },
      { key: right.key, body },
      ...keys.map((other) => ({ key: other ?? "", body })),
    ];
    const ids = new Set<string>();
    for (const sender of senders) {
      const first = scanned(await api.post(SCANS, sender));
      assert.equal(first.duplicateOf, undefined);
      const again = scanned(await api.post(SCANS, sender));
      assert.equal(again.duplicateOf, first.scanId);
      ids.add(first.scanId);
    }
    assert.equal(ids.size, 4);
    const named = scanned(await post({ ...body, deviceId: right.deviceId }));
    assert.ok(ids.has(named.duplicateOf), "the device itself or a backend for it");
  });

  it("201: a redemption that the first did not ask for is done", async () => {
    const id = await seedCard(api, "acme", "then");
    const body = { data: "M-then", type: "qrcode" };
    const redeem = { privilegeId: "coffee", amount: 1 };
    const first = scanned(await post(body));
    const second = scanned(await post({ ...body, redeem }));
    assert.equal(second.duplicateOf, undefined);
    assert.equal(second.movement.valueAfter, 1);
    assert.equal(scanned(await post({ ...body, redeem })).duplicateOf, second.scanId);
    assert.equal(scanned(await post(body)).duplicateOf, first.scanId);
    assert.equal(await worthOf(id), 1);
  });

  it("201: 20 at the same instant, on two nodes, are one scan, one movement and one event", async () => {
    const id = await seedCard(api, "acme", "instant", { value: 50 });
    const node = await api.node();
    const { deviceId } = await seedDevice(api, "acme");
    const body = {
      data: "M-instant",
      type: "qrcode",
      deviceId,
      redeem: { privilegeId: "coffee", amount: 1 },
    };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? api : node).post(SCANS, { key, body })),
    );
    const scans = answers.map(scanned);
    assert.equal(new Set(scans.map(({ scanId }) => scanId)).size, 1);
    assert.equal(scans.filter(({ duplicateOf }) => duplicateOf === undefined).length, 1);
    assert.equal(await worthOf(id), 49);
    assert.equal((await eventsOf(scans[0].scanId)).length, 1);
  });
});

describe("devices", () => {
  it("201: a device is its own; 400: it cannot name another", async () => {
    const [own, other] = [await seedDevice(api, "acme"), await seedDevice(api, "acme")];
    const body = { data: "by a device", type: "qrcode" };
    const made = scanned(await api.post(SCANS, { key: own.key, body }));
    assert.equal(made.deviceId, own.deviceId);
    const named = { ...body, data: "by itself", deviceId: own.deviceId };
    assert.equal((await api.post(SCANS, { key: own.key, body: named })).status, 201);
    const wrong = await api.post(SCANS, {
      key: own.key,
      body: { ...body, deviceId: other.deviceId },
    });
    assert.deepEqual([wrong.status, Object.keys(wrong.body.errors)], [400, ["deviceId"]]);
    assert.equal((await api.get(SCANS, { key: own.key })).status, 403);
  });

  it("403: a device reads passes, but not where they were scanned", async () => {
    const id = await seedCard(api, "acme", "seen");
    const { key: device } = await seedDevice(api, "acme");
    const path = `/api/acme/passes/${id}?expand=scans`;
    const refused = await api.get(path, { key: device });
    assert.deepEqual([refused.status, refused.body.requiredScope], [403, "PassScan.Read"]);
  });
});
