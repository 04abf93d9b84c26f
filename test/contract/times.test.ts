import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";

/** Times as RFC 3339 has them, in bodies, filters and cursors. */

const TENANT = "harbour";
const SAME_TIMES = [
  "2027-02-28T00:00:00Z",
  "2027-02-28t00:00:00z",
  "2027-02-28T15:00:00+15:00",
  "2027-02-28T23:59:00+23:59",
  "2027-02-27T00:01:00-23:59",
  "2027-02-28t16:00:00.000+16:00",
];
const STORED = "2027-02-28T00:00:00.000Z";
const REFUSED = [
  "2016-12-31T23:59:60Z",
  "2016-12-31t23:59:60z",
  "2027-02-28T00:00:00+24:00",
  "2027-02-28T00:00:00",
  "2027-02-30T00:00:00Z",
];

describe("times", () => {
  const api = shareApi();
  const passes = `/api/${TENANT}/passes`;
  const get = (path: string) => api().get(path, { key: api().operatorKey });
  const create = (expirationDate: string) =>
    api().post(`${passes}?passType=coupon`, { key: api().operatorKey, body: { expirationDate } });

  before(() => seedPassTenant(api(), TENANT));

  it("201: of a pass, at every offset and in either case, shown in UTC", async () => {
    for (const time of SAME_TIMES) {
      const { status, body, text } = await create(time);
      assert.equal(status, 201, text);
      assert.equal(body.expirationDate, STORED, time);
    }
  });

  it("201: of a privilege and a movement", async () => {
    const { id } = await seedPass(api(), TENANT);
    const path = `${passes}/${id}/privileges`;
    for (const [at, validUntil] of SAME_TIMES.entries()) {
      const body = { privilegeId: `p${at}`, type: "MultiUse", value: 1, validUntil };
      const made = await api().post(path, { key: api().operatorKey, body });
      assert.equal(made.status, 201, made.text);
      assert.equal(made.body.validUntil, STORED, validUntil);
      const moved = await api().post(`${path}/p${at}/movements`, {
        key: api().operatorKey,
        body: { value: 1, occurredAt: validUntil.replace("2027", "2024") },
      });
      assert.equal(moved.status, 201, moved.text);
    }
  });

  it("400: leap seconds, days and offsets that do not exist", async () => {
    for (const time of REFUSED) {
      const { status, body } = await create(time);
      assert.equal(status, 400, time);
      assert.ok("expirationDate" in body.errors, time);
    }
  });

  it("200, 400: in a filter", async () => {
    const filtered = (time: string) => {
      const value = encodeURIComponent(time);
      const where = `filter[0].field=expirationDate&filter[0].operator=equals`;
      return get(`${passes}?${where}&filter[0].value=${value}&pageSize=500`);
    };
    const all = (await filtered(STORED)).body.length;
    assert.ok(all >= SAME_TIMES.length);
    for (const time of SAME_TIMES) {
      const { status, body } = await filtered(time);
      assert.deepEqual([status, body.length], [200, all], time);
    }
    for (const time of REFUSED) assert.equal((await filtered(time)).status, 400, time);
  });

  it("400: in a cursor that was tampered with, where the database could not read it", async () => {
    const sorted = `${passes}?pageSize=1&sortBy[0].field=expirationDate`;
    const { headers } = await get(sorted);
    const [, cursor = ""] = /[?&]cursor=([^&>]+)/.exec(headers.get("link") ?? "") ?? [];
    const parts: unknown[] = JSON.parse(Buffer.from(cursor, "base64url").toString());
    for (const [time, status] of [
      [STORED, 200],
      ["2027-02-28T15:59:00+15:59", 200],
      ["2027-02-28T23:59:00+23:59", 400],
      ["2027-02-28 00:00:00-16", 400],
    ] as const) {
      const changed = [parts[0], time, ...parts.slice(2)];
      const forged = Buffer.from(JSON.stringify(changed)).toString("base64url");
      const answer = await get(`${sorted}&cursor=${forged}`);
      assert.equal(answer.status, status, `${time}: ${answer.text}`);
    }
  });
});
