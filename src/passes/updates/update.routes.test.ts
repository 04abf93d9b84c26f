import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { finishedJob } from "#test/support/jobs.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const PASSES = "/api/acme/passes";
const NOBODY = "ps_00000000000000000000000";
const key = api.operatorKey;

await seedPassTenant(api, "acme");

const patch = (body: unknown, headers: Record<string, string> = {}) =>
  api.patch(PASSES, { key, body, headers });
const patchOne = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  api.patch(`${PASSES}/${id}`, { key, body, headers });
const read = async (id: string) => (await api.get(`${PASSES}/${id}`, { key })).body;
const finished = (jobId: string) => finishedJob(api, "acme", jobId);
const eventsOf = async (passId: string) => {
  const rows = await api.sql(
    "select name, data, previous from event where subject = $1 order by sequence",
    [passId],
  );
  return rows as { name: string; data: Record<string, unknown>; previous: unknown }[];
};
const seedMany = (count: number, more: Parameters<typeof seedPass>[2] = {}) =>
  Promise.all(Array.from({ length: count }, async () => (await seedPass(api, "acme", more)).id));
let marks = 0;
const newTier = () => {
  marks += 1;
  return `mark-${marks}`;
};

const NOWHERE = { state: "none", devices: 0 };
const HELD_BY_NONE = { apple: NOWHERE, google: NOWHERE };

describe("PATCH /api/:tenantId/passes/:passId (pass.update)", () => {
  it("202: a job that changes it, with one version and one event", async () => {
    const { secret: _, links: __, ...before } = await seedPass(api, "acme");
    const { id } = before;
    const { status, body } = await patchOne(id, { additionalData: { points: 7 } });
    assert.equal(status, 202);
    assert.deepEqual(Object.keys(body), ["jobId"]);

    const job = await finished(body.jobId);
    assert.deepEqual(
      [job.state, job.matched, job.processed, job.updated, job.failed, job.progress],
      ["completed", 1, 1, 1, 0, 1],
    );
    assert.deepEqual(job.request, {
      selection: "passId",
      changes: ["additionalData.points"],
      options: {},
    });
    const pass = await read(id);
    assert.deepEqual([pass.version, pass.additionalData.points], [2, 7]);
    const [, updated, ...others] = await eventsOf(id);
    assert.deepEqual([updated?.name, others], ["pass.updated", []]);
    assert.deepEqual(updated?.previous, before);
  });

  it("200: BypassQueue answers with the record as it is then", async () => {
    const { id } = await seedPass(api, "acme", { additionalData: { points: 1, tier: "Deck" } });
    const options = { BypassQueue: true };
    const { status, body, headers } = await patchOne(id, {
      additionalData: { points: 2, tier: null },
      identifiers: { "crm.id": `crm-${id}` },
      expirationDate: "2040-01-01T00:00:00.000Z",
      options,
    });
    assert.equal(status, 200);
    const { delivery, ...record } = body;
    assert.deepEqual(record, await read(id));
    assert.deepEqual(delivery, HELD_BY_NONE);
    assert.deepEqual(body.additionalData, { firstName: "Camille", points: 2 });
    assert.equal(body.identifiers["crm.id"], `crm-${id}`);
    assert.deepEqual([body.version, body.expirationDate], [2, "2040-01-01T00:00:00.000Z"]);
    assert.ok(headers.get("etag"));

    const again = await patchOne(id, { additionalData: { points: 2 }, options });
    assert.equal(again.body.version, 2);
    const disabled = await patchOne(id, { status: "disabled", options });
    assert.deepEqual([disabled.body.status, disabled.body.version], ["disabled", 3]);
    await patchOne(id, { status: "active", options });
    assert.deepEqual(
      (await eventsOf(id)).map(({ name }) => name),
      ["pass.created", "pass.updated", "pass.disabled", "pass.enabled"],
    );
  });

  it("412: If-Match holds in both ways", async () => {
    const { id } = await seedPass(api, "acme");
    const { headers } = await api.get(`${PASSES}/${id}`, { key });
    const known = { "if-match": headers.get("etag") ?? "" };
    for (const options of [{}, { BypassQueue: true }]) {
      const body = { additionalData: { points: 3 }, options };
      assert.equal((await patchOne(id, body, { "if-match": '"other"' })).status, 412);
      assert.equal((await read(id)).version, 1);
    }
    const sent = { additionalData: { points: 3 }, options: { BypassQueue: true } };
    assert.equal((await patchOne(id, sent, known)).status, 200);
    assert.equal((await patchOne(id, sent, known)).status, 412);
  });

  it("400, 404, 409: with BypassQueue what the writer refuses is the answer", async () => {
    const options = { BypassQueue: true };
    const { id } = await seedPass(api, "acme");
    const wrong = await patchOne(id, { additionalData: { points: "x" }, options });
    assert.equal(wrong.status, 400);
    assert.deepEqual(Object.keys(wrong.body.errors), ["additionalData.points"]);
    const [taken] = await seedMany(1, { identifiers: { "crm.id": "C-taken" } });
    const conflict = await patchOne(id, { identifiers: { "crm.id": "C-taken" }, options });
    assert.deepEqual(
      [conflict.status, conflict.body.code, conflict.body.passId],
      [409, "pass.identifier-taken", taken],
    );
    for (const more of [{}, options]) {
      const body = { additionalData: { points: 1 }, options: more };
      const missing = await patchOne(NOBODY, body);
      assert.deepEqual([missing.status, missing.body.code], [404, "pass.not-found"]);
    }
    assert.equal((await read(id)).version, 1);
  });

  it("202: what the writer refuses is a failed job that says why", async () => {
    const { id } = await seedPass(api, "acme");
    const { body } = await patchOne(id, { additionalData: { points: "x" } });
    const job = await finished(body.jobId);
    assert.deepEqual([job.state, job.failed, job.updated], ["failed", 1, 0]);
    assert.equal(job.failures.length, 1);
    assert.deepEqual([job.failures[0].subject, job.failures[0].code], [id, "request.invalid"]);
    assert.match(job.failures[0].message, /^additionalData\.points/);
  });

  const refused: readonly [string, unknown, string][] = [
    ["nothing to change", {}, "additionalData"],
    ["an empty object", { additionalData: {} }, "additionalData"],
    ["an unknown member", { data: {} }, "data"],
    ["an unknown option", { status: "active", options: { Fast: true } }, "options.Fast"],
    ["an option that is no boolean", { options: { BypassQueue: "yes" } }, "options.BypassQueue"],
    ["an unknown status", { status: "expired" }, "status"],
    ["no date", { expirationDate: "tomorrow" }, "expirationDate"],
    ["an identifier without a dot", { identifiers: { crm: "1" } }, "identifiers.crm"],
    ["an identifier that is no text", { identifiers: { "crm.id": 4 } }, "identifiers.crm.id"],
  ];
  for (const [title, body, field] of refused) {
    it(`400: ${title} names ${field}`, async () => {
      const { id } = await seedPass(api, "acme");
      const answer = await patchOne(id, body);
      assert.equal(answer.status, 400, answer.text);
      assert.ok(field in answer.body.errors, answer.text);
    });
  }
});

describe("PATCH /api/:tenantId/passes (pass.update-many)", () => {
  it("202: by ids, each changed once with one event, and who was not found", async () => {
    const ids = await seedMany(12);
    const { status, body } = await patch({
      passIds: [...ids, ids[0], NOBODY],
      additionalData: { tier: "Bridge" },
    });
    assert.equal(status, 202);
    assert.deepEqual([body.matched, body.notFound], [12, [NOBODY]]);
    const job = await finished(body.jobId);
    assert.deepEqual([job.state, job.updated, job.unchanged], ["completed", 12, 0]);
    for (const id of ids) {
      const pass = await read(id);
      assert.deepEqual([pass.version, pass.additionalData.tier], [2, "Bridge"]);
      assert.equal((await eventsOf(id)).length, 2);
    }
    const again = await patch({ passIds: ids, additionalData: { tier: "Bridge" } });
    const second = await finished(again.body.jobId);
    assert.deepEqual([second.updated, second.unchanged], [0, 12]);
    assert.equal((await eventsOf(ids[0] ?? "")).length, 2);
  });

  it("202: by identifiers, those that have all of a set", async () => {
    const mark = newTier();
    const both = { "shop.id": mark, "shop.zone": `${mark}-a` };
    const [first] = await seedMany(1, { identifiers: both });
    const [second] = await seedMany(1, { identifiers: { ...both, "shop.zone": `${mark}-b` } });
    const sets = [both, { "shop.id": `${mark}-none` }];
    const { body } = await patch({ identifiers: sets, additionalData: { points: 5 } });
    assert.deepEqual([body.matched, body.notFound], [1, [sets[1]]]);
    await finished(body.jobId);
    assert.equal((await read(first ?? "")).additionalData.points, 5);
    assert.equal((await read(second ?? "")).version, 1);
    const wide = await patch({ identifiers: [{ "shop.id": mark }], status: "disabled" });
    assert.equal(wide.body.matched, 2);
    await finished(wide.body.jobId);
    assert.equal((await read(second ?? "")).status, "disabled");
  });

  it("202: by filter, those that match at this moment", async () => {
    const note = newTier();
    const ids = await seedMany(5, { additionalData: { note } });
    const filter = [
      { field: "additionalData.note", operator: "equals", value: note },
      { field: "creationDate", operator: "greaterThan", value: "2020-01-01" },
    ];
    const { body } = await patch({ filter, additionalData: { note: `${note}-done` } });
    assert.equal(body.matched, 5);
    assert.equal((await finished(body.jobId)).updated, 5);
    for (const id of ids) assert.equal((await read(id)).additionalData.note, `${note}-done`);
    const none = await patch({ filter, status: "disabled" });
    assert.deepEqual([none.body.matched, none.body.notFound], [0, []]);
    assert.equal((await finished(none.body.jobId)).state, "completed");
  });

  it("202: by a change each, and one that is refused fails alone", async () => {
    const [first, second, third] = await seedMany(3);
    const sent = [
      { passId: first, additionalData: { points: 1 } },
      { passId: second, additionalData: { points: -1 } },
      { identifiers: (await read(third ?? "")).identifiers, additionalData: { points: 3 } },
      { passId: first, additionalData: { points: 11 } },
      { passId: NOBODY, status: "disabled" },
    ];
    const { body } = await patch({ updates: sent });
    assert.deepEqual([body.matched, body.notFound], [4, [NOBODY]]);
    const job = await finished(body.jobId);
    assert.deepEqual([job.state, job.updated, job.failed], ["completed", 3, 1]);
    assert.deepEqual(
      job.failures.map(({ subject }: { subject: string }) => subject),
      [second],
    );
    const one = await read(first ?? "");
    assert.deepEqual([one.version, one.additionalData.points], [2, 11]);
    assert.equal((await read(third ?? "")).additionalData.points, 3);
  });

  it("200: BypassQueue changes now, with a result for each", async () => {
    const [first, second, third] = await seedMany(3, { additionalData: { points: 1 } });
    const options = { BypassQueue: true };
    const { status, body } = await patch({
      updates: [
        { passId: first, additionalData: { points: 2 } },
        { passId: second, additionalData: { points: 1 } },
        { passId: third, additionalData: { points: "many" } },
        { passId: NOBODY, status: "disabled" },
        { identifiers: { "shop.id": "nowhere" }, status: "disabled" },
      ],
      options,
    });
    assert.equal(status, 200);
    const [one, two, three, four, five] = body.results;
    const delivery = HELD_BY_NONE;
    assert.deepEqual(one, { passId: first, result: "updated", version: 2, delivery });
    assert.deepEqual(two, { passId: second, result: "unchanged", version: 1, delivery });
    assert.deepEqual([three.passId, three.result, three.version], [third, "failed", 1]);
    assert.equal(three.problem.code, "request.invalid");
    assert.deepEqual(Object.keys(three.problem.errors), ["additionalData.points"]);
    assert.deepEqual(four, { passId: NOBODY, result: "not-found" });
    assert.deepEqual(five, { identifiers: { "shop.id": "nowhere" }, result: "not-found" });
    assert.equal((await read(first ?? "")).additionalData.points, 2);
  });

  const id = "ps_00000000000000000000001";
  const change = { additionalData: { points: 1 } };
  const now = { options: { BypassQueue: true } };
  const ids = (count: number) =>
    Array.from({ length: count }, (_, at) => `ps_${String(at).padStart(22, "0")}`);
  const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]));
  const refused: readonly [string, unknown, string][] = [
    ["no selection", change, "passIds"],
    ["no change", { passIds: [id] }, "additionalData"],
    ["an empty change", { passIds: [id], additionalData: {} }, "additionalData"],
    ["an empty list of ids", { passIds: [], ...change }, "passIds"],
    ["an empty list of identifiers", { identifiers: [], ...change }, "identifiers"],
    ["an empty filter", { filter: [], ...change }, "filter"],
    ["an empty list of updates", { updates: [] }, "updates"],
    ["an empty set of identifiers", { identifiers: [{}], ...change }, "identifiers[0]"],
    ["two selections", { passIds: [id], identifiers: [{ "a.b": "1" }], ...change }, "identifiers"],
    ["ids and updates", { passIds: [id], updates: [{ passId: id, ...change }] }, "updates"],
    ["an id that is none", { passIds: ["a b"], ...change }, "passIds[0]"],
    ["an id that is no text", { passIds: [4], ...change }, "passIds[0]"],
    ["10,001 ids", { passIds: ids(10_001), ...change }, "passIds"],
    [
      "1,001 sets of identifiers",
      { identifiers: ids(1_001).map((value) => ({ "a.b": value })), ...change },
      "identifiers",
    ],
    ["5,001 updates", { updates: ids(5_001).map((passId) => ({ passId, ...change })) }, "updates"],
    ["101 ids at once", { passIds: ids(101), ...change, ...now }, "passIds"],
    [
      "101 updates at once",
      { updates: ids(101).map((passId) => ({ passId, ...change })), ...now },
      "updates",
    ],
    ["an unknown member", { passIds: [id], ...change, wallets: [] }, "wallets"],
    ["an unknown option", { passIds: [id], ...change, options: { Fast: true } }, "options.Fast"],
    [
      "an identifier without a dot",
      { identifiers: [{ crm: "1" }], ...change },
      "identifiers[0].crm",
    ],
    ["a change without a dot", { passIds: [id], identifiers: { crm: "1" } }, "identifiers.crm"],
    ["an update of nobody", { updates: [change] }, "updates[0].passId"],
    ["an update of nothing", { updates: [{ passId: id }] }, "updates[0]"],
    ["an update with a wrong id", { updates: [{ passId: "a b", ...change }] }, "updates[0].passId"],
    ["an update with more", { updates: [{ passId: id, wallets: 1 }] }, "updates[0].wallets"],
    [
      "an update that finds by null",
      { updates: [{ identifiers: { "a.b": null }, ...change }] },
      "updates[0].identifiers.a.b",
    ],
    [
      "a change beside updates",
      { updates: [{ passId: id, ...change }], status: "disabled" },
      "status",
    ],
    ["1,000 members", { passIds: [id], additionalData: keys(1_000) }, "additionalData"],
    ["deep data", { passIds: [id], additionalData: nested(12) }, "additionalData"],
    [
      "large data",
      { updates: [{ passId: id, additionalData: { a: "x".repeat(70_000) } }] },
      "updates[0].additionalData",
    ],
    ["a field that does not exist", filterOf({ field: "secret" }), "filter[0].field"],
    ["an operator that does not exist", filterOf({ operator: "like" }), "filter[0].operator"],
    ["a value that is none", filterOf({ value: "soon" }), "filter[0].value"],
    ["an unknown status", { passIds: [id], status: "expired" }, "status"],
    ["no date", { passIds: [id], expirationDate: "2026-02-30" }, "expirationDate"],
    ["a list", [], "$"],
  ];
  function filterOf(more: object) {
    const filter = { field: "creationDate", operator: "greaterThan", value: "2026-01-01", ...more };
    return { filter: [filter], ...change };
  }
  for (const [title, body, field] of refused) {
    it(`400: ${title} names ${field}`, async () => {
      const before = await api.sql("select count(*) from job");
      const answer = await patch(body);
      assert.equal(answer.status, 400, answer.text);
      assert.ok(field in answer.body.errors, answer.text);
      assert.deepEqual(await api.sql("select count(*) from job"), before);
    });
  }

  it("400: 101 passes at once by identifiers or filter name the selection", async () => {
    const note = newTier();
    await seedMany(101, { additionalData: { note }, identifiers: { "bulk.id": note } });
    const filter = [{ field: "additionalData.note", operator: "equals", value: note }];
    for (const [field, selection] of Object.entries({
      filter,
      identifiers: [{ "bulk.id": note }],
    })) {
      const answer = await patch({ [field]: selection, ...change, ...now });
      assert.equal(answer.status, 400, answer.text);
      assert.ok(field in answer.body.errors, answer.text);
    }
  });

  it("403: needs Pass.Write", async () => {
    const reader = await api.seed.key("acme", "Pass.Read");
    const { status } = await api.patch(PASSES, { key: reader, body: { passIds: [id], ...change } });
    assert.equal(status, 403);
  });
});
