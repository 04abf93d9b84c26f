import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { finishedJob } from "#test/support/jobs.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const PASSES = "/api/acme/passes";
const key = api.operatorKey;
const options = { BypassQueue: true };

await seedPassTenant(api, "acme");

const create = (body: unknown) => api.post(`${PASSES}?passType=coupon`, { key, body });
const patchOne = (id: string, body: unknown) => api.patch(`${PASSES}/${id}`, { key, body });
const read = async (id: string) => (await api.get(`${PASSES}/${id}`, { key })).body;

const NO_TIMES = [
  "2026-12-31T23:59:60Z",
  "0000-01-01T00:00:00Z",
  "9999-12-31T23:59:59-14:00",
  "0001-01-01T00:00:00+14:00",
  "2026-02-30T00:00:00Z",
  `2026-01-01T00:00:00.${"0".repeat(60)}Z`,
];

describe("expirationDate", () => {
  for (const expirationDate of NO_TIMES) {
    it(`400: ${expirationDate} is refused by every door`, async () => {
      const { id } = await seedPass(api, "acme");
      const refused = [
        [await create({ expirationDate }), "expirationDate"],
        [await patchOne(id, { expirationDate, options }), "expirationDate"],
        [await patchOne(id, { expirationDate }), "expirationDate"],
        [
          await api.patch(PASSES, { key, body: { passIds: [id], expirationDate } }),
          "expirationDate",
        ],
        [
          await api.patch(PASSES, { key, body: { updates: [{ passId: id, expirationDate }] } }),
          "updates[0].expirationDate",
        ],
      ] as const;
      for (const [{ status, body, text }, field] of refused) {
        assert.equal(status, 400, text);
        assert.ok(Object.hasOwn(body.errors, field), text);
      }
      assert.equal((await read(id)).version, 1);
    });
  }

  it("takes the first and the last time that can be shown, and the pass can still change", async () => {
    for (const at of ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"]) {
      const made = await create({ expirationDate: at });
      assert.deepEqual([made.status, made.body.expirationDate], [201, at]);
      const changed = await patchOne(made.body.id, { additionalData: { offer: "x" }, options });
      assert.deepEqual([changed.status, changed.body.expirationDate], [200, at], changed.text);
    }
  });
});

describe("expiration.at of the template", () => {
  const NO_DATES = ["soon", "2031-02-30", "2031-02-30T10:00:00Z", "2031-13-01", 20_310_501, {}];
  const FIELD = "additionalData.validUntil";

  for (const validUntil of [...NO_DATES, ...NO_TIMES.slice(1, 4)]) {
    it(`400: ${JSON.stringify(validUntil)} gives no date, and the answer names the member`, async () => {
      const refused = await create({ additionalData: { validUntil } });
      assert.equal(refused.status, 400, refused.text);
      assert.deepEqual(Object.keys(refused.body.errors), [FIELD], refused.text);
      assert.match(refused.body.errors[FIELD][0], /must give a date, such as 2031-05-01/);

      const { body: made } = await create({ additionalData: { validUntil: "2031-05-01" } });
      const change = { additionalData: { validUntil } };
      const now = await patchOne(made.id, { ...change, options });
      assert.deepEqual([now.status, Object.keys(now.body.errors)], [400, [FIELD]], now.text);
      const queued = await patchOne(made.id, change);
      const job = await finishedJob(api, "acme", queued.body.jobId);
      assert.deepEqual([job.updated, job.failed], [0, 1]);
      assert.equal((await read(made.id)).expirationDate, "2031-05-01T00:00:00.000Z");
    });
  }

  it("201: a pass that says nothing of it lasts, and one with a time of its own needs no date", async () => {
    assert.equal((await create({})).body.expirationDate, null);
    const own = { expirationDate: "2031-05-01T10:00:00.000Z", additionalData: { validUntil: "x" } };
    const made = await create(own);
    assert.deepEqual([made.status, made.body.expirationDate], [201, own.expirationDate]);
  });
});

describe("status", () => {
  it("400: a pass whose time is over cannot be made active without a new one", async () => {
    const { body: made } = await create({ expirationDate: "2020-01-01T00:00:00Z" });
    const now = await patchOne(made.id, { status: "active", options });
    assert.equal(now.status, 400, now.text);
    assert.ok(Object.hasOwn(now.body.errors, "status"));
    const queued = await patchOne(made.id, { status: "active" });
    const job = await finishedJob(api, "acme", queued.body.jobId);
    assert.deepEqual([job.updated, job.failed], [0, 1]);
    const many = { passIds: [made.id], status: "active", options };
    const { body } = await api.patch(PASSES, { key, body: many });
    assert.ok(Object.hasOwn(body.results[0].problem.errors, "status"));
    assert.equal((await read(made.id)).version, 1);

    const renewed = { status: "active", expirationDate: "2099-01-01T00:00:00Z", options };
    assert.equal((await patchOne(made.id, renewed)).body.status, "active");
  });
});

describe("lastUpdateDate", () => {
  it("never goes back from one version to the next", async () => {
    const { id } = await seedPass(api, "acme");
    const later = "2090-01-01T00:00:00.000Z";
    await api.sql("update pass set updated_at = $2 where id = $1", [id, later]);
    const { body } = await patchOne(id, { additionalData: { points: 1 }, options });
    assert.deepEqual([body.version, body.lastUpdateDate], [2, later]);
    assert.equal((await read(id)).lastUpdateDate, later);
  });
});
