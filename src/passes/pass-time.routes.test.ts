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

  it("counts as none where the template makes a time of it that cannot be shown", async () => {
    for (const validUntil of NO_TIMES.slice(1, 4)) {
      const { status, body, text } = await create({ additionalData: { validUntil } });
      assert.deepEqual([status, body.expirationDate], [201, null], text);
      const changed = await patchOne(body.id, { additionalData: { offer: "x" }, options });
      assert.equal(changed.status, 200, changed.text);
    }
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
