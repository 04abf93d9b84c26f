import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
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
const REDEEM = { privilegeId: "coffee", amount: 1 };
await seedScanTenant(api, "acme");

/** A device that accepts passes of these types. */
async function seedDoor(passTypes: readonly string[]) {
  const device = await seedDevice(api, "acme");
  const body = { settings: { passTypes } };
  const { status, text } = await api.put(`/api/acme/devices/${device.deviceId}`, { key, body });
  assert.equal(status, 200, text);
  return device;
}

async function scan(data: string, credential: string, more: object = {}) {
  const body = { data, type: "qrcode", redeem: REDEEM, ...more };
  const made = scanned(await api.post(SCANS, { key: credential, body }));
  await ageScans(api, 3);
  return made;
}

const leftOf = async (passId: string) =>
  (await api.get(`/api/acme/passes/${passId}/privileges/coffee`, { key })).body.value;

describe("passTypes in the settings of a device", () => {
  it("201: rejects passes of other types and redeems nothing, whoever sends the scan", async () => {
    const passId = await seedCard(api, "acme", "other");
    const door = await seedDoor(["coupon", "ticket"]);
    const made = [
      await scan("M-other", door.key),
      await scan("M-other", key, { deviceId: door.deviceId }),
      await scan("M-other", door.key, { dryRun: true }),
    ];
    for (const { matched, decision, reason, pass, movement } of made) {
      assert.deepEqual([matched, decision, reason], [true, "rejected", "wrong-pass-type"]);
      assert.deepEqual([pass.passType, movement ?? null], ["loyalty", null]);
    }
    assert.equal(await leftOf(passId), 2);
    const { body } = await api.get(
      `${SCANS}?filter[0].field=reason&filter[0].operator=equals&filter[0].value=wrong-pass-type`,
      { key },
    );
    assert.equal(body.length, 2, "both are kept");
  });

  it("201: accepts those it names, and all without the setting", async () => {
    const passId = await seedCard(api, "acme", "own");
    const door = await seedDoor(["loyalty"]);
    assert.equal((await scan("M-own", door.key)).decision, "accepted");
    const other = await seedDevice(api, "acme");
    assert.equal((await scan("M-own", other.key)).decision, "accepted");
    assert.equal(await leftOf(passId), 0);
    assert.equal((await scan("M-own", door.key)).reason, "insufficient-value");
    assert.equal((await scan("M-nobody", door.key)).reason, "unknown-code");
  });

  it("201: a scan that was accepted offline before the setting changed is a conflict", async () => {
    const passId = await seedCard(api, "acme", "late");
    const door = await seedDoor(["coupon"]);
    const occurredAt = new Date().toISOString();
    const one = { data: "M-late", type: "qrcode", reference: "r-1", occurredAt, redeem: REDEEM };
    const { status, body } = await api.post(`${SCANS}/batch`, {
      key: door.key,
      body: { scans: [{ ...one, decision: "accepted" }] },
    });
    assert.ok(status < 300);
    const [{ conflict, scan: made }] = body.results;
    assert.deepEqual([conflict, made.reason], [true, "wrong-pass-type"]);
    assert.equal(await leftOf(passId), 2);
  });
});
