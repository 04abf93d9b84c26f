import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import { provide } from "#kernel/port.ts";
import { finishedJob } from "#test/support/jobs.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { type MetadataSource, metadataSources } from "../connector.port.ts";

/** The list of sources is fixed at the start; each test decides which of them give an answer. */
let knowing: readonly MetadataSource[] = [];
const sourceOf = (name: string): MetadataSource => ({
  name,
  fetch: async (...asked) => await knowing.find((source) => source.name === name)?.fetch(...asked),
});
const names = ["crm", "silent", "broken", "heavy", "odd", "hanging"];
const provides = names.map((name) => provide(metadataSources, sourceOf(name)));

const api = await startApi({ after }, { provides });
const key = api.operatorKey;
await seedPassTenant(api, "acme");

let segment = "gold";
let asked: string[] = [];
let hold: Promise<void> | undefined;

const crm: MetadataSource = {
  name: "crm",
  async fetch(context, pass) {
    asked.push(`${context.tenantId} ${pass.id}`);
    await hold;
    return { segment, number: pass.identifiers["loyalty.number"] };
  },
};
const silent: MetadataSource = { name: "silent", fetch: async () => undefined };
const broken: MetadataSource = {
  name: "broken",
  fetch: () => Promise.reject(new Error("password=hunter2 was refused")),
};

const read = async (id: string) => (await api.get(`/api/acme/passes/${id}`, { key })).body;
const patchOne = (id: string, body: unknown) => api.patch(`/api/acme/passes/${id}`, { key, body });
const eventCount = async (id: string) =>
  (await api.sql("select from event where subject = $1", [id])).length;

describe("UpdateMetadata", () => {
  beforeEach(() => {
    asked = [];
    segment = "gold";
    hold = undefined;
    knowing = [crm, silent, broken];
  });

  it("202: what sources deliver stands under their names; one that fails is told and stops no other", async () => {
    const { id } = await seedPass(api, "acme");
    const body = { additionalData: { points: 4 }, options: { UpdateMetadata: true } };
    const sent = await patchOne(id, body);
    const job = await finishedJob(api, "acme", sent.body.jobId);
    assert.deepEqual([job.state, job.updated, job.failed], ["completed", 1, 0]);
    assert.deepEqual(job.failures, [
      { subject: id, code: "pass.source-failed", message: "Source 'broken' could not be asked." },
    ]);
    const pass = await read(id);
    assert.deepEqual(pass.metadata, {
      crm: { segment: "gold", number: pass.identifiers["loyalty.number"] },
    });
    assert.deepEqual([pass.additionalData.points, pass.version], [4, 2]);
    assert.equal(await eventCount(id), 2);
    assert.deepEqual(asked, [`acme ${id}`]);
  });

  it("202: for many, without any other change; what is the same makes no version", async () => {
    const passes = await Promise.all(Array.from({ length: 40 }, () => seedPass(api, "acme")));
    const passIds = passes.map(({ id }) => id);
    const options = { UpdateMetadata: true };
    for (const [updated, unchanged] of [
      [40, 0],
      [0, 40],
    ]) {
      const sent = await api.patch("/api/acme/passes", { key, body: { passIds, options } });
      const job = await finishedJob(api, "acme", sent.body.jobId);
      assert.deepEqual([job.updated, job.unchanged], [updated, unchanged]);
    }
    for (const id of passIds) assert.equal((await read(id)).version, 2);
  });

  it("200: with BypassQueue the record has it, and says which source failed", async () => {
    const { id } = await seedPass(api, "acme");
    const options = { UpdateMetadata: true, BypassQueue: true };
    const one = await patchOne(id, { options });
    assert.equal(one.status, 200);
    assert.equal(one.body.metadata.crm.segment, "gold");
    const failure = { source: "broken", message: "Source 'broken' could not be asked." };
    assert.deepEqual(one.body.metadataFailures, [failure]);
    segment = "silver";
    const many = await api.patch("/api/acme/passes", { key, body: { passIds: [id], options } });
    const [{ delivery: _, ...result }] = many.body.results;
    assert.deepEqual(result, {
      passId: id,
      result: "updated",
      version: 3,
      metadataFailures: [failure],
    });
    assert.ok(!many.text.includes("hunter2"));
  });

  it("202: a later change of the pass waits for the answer of the sources", async () => {
    const { id } = await seedPass(api, "acme");
    const held = Promise.withResolvers<void>();
    hold = held.promise;
    const options = { UpdateMetadata: true };
    const first = await patchOne(id, { additionalData: { points: 1 }, options });
    const second = await patchOne(id, { additionalData: { points: 2 } });
    const other = await seedPass(api, "acme");
    const third = await patchOne(other.id, { additionalData: { points: 3 } });
    await finishedJob(api, "acme", third.body.jobId);
    assert.equal((await read(id)).version, 1);
    held.resolve();
    for (const { body } of [first, second]) await finishedJob(api, "acme", body.jobId);
    const pass = await read(id);
    assert.deepEqual([pass.additionalData.points, pass.metadata.crm.segment], [2, "gold"]);
    assert.equal(pass.version, 2);
  });

  it("200: BypassQueue does first what waits for sources, without them", async () => {
    const { id } = await seedPass(api, "acme");
    const held = Promise.withResolvers<void>();
    hold = held.promise;
    const waiting = { additionalData: { points: 1, tier: "Deck" } };
    const first = await patchOne(id, { ...waiting, options: { UpdateMetadata: true } });
    const second = await patchOne(id, { additionalData: { note: "second" } });
    const third = { additionalData: { points: 2 }, options: { BypassQueue: true } };
    const { status, body } = await patchOne(id, third);
    assert.equal(status, 200);
    const wanted = { firstName: "Camille", points: 2, tier: "Deck", note: "second" };
    assert.deepEqual([body.version, body.additionalData], [2, wanted]);
    held.resolve();
    const job = await finishedJob(api, "acme", first.body.jobId);
    assert.deepEqual([job.updated, job.failures.length], [1, 1]);
    assert.match(job.failures[0].message, /were not asked/);
    await finishedJob(api, "acme", second.body.jobId);
    const last = await patchOne(id, { additionalData: { last: 1 } });
    await finishedJob(api, "acme", last.body.jobId);
    const pass = await read(id);
    assert.deepEqual([pass.version, pass.additionalData], [3, { ...wanted, last: 1 }]);
  });

  it("202: without any source there is nothing to ask", async (t) => {
    const alone = await startApi(t);
    await seedPassTenant(alone, "acme");
    const { id } = await seedPass(alone, "acme");
    const body = { options: { UpdateMetadata: true } };
    const sent = await alone.patch(`/api/acme/passes/${id}`, { key, body });
    const job = await finishedJob(alone, "acme", sent.body.jobId);
    assert.deepEqual([job.state, job.unchanged], ["completed", 1]);
  });

  it("202: a source that delivers too much is refused", async () => {
    const heavy = { name: "heavy", fetch: async () => ({ text: "x".repeat(70_000) }) };
    knowing = [heavy];
    const { id } = await seedPass(api, "acme");
    const sent = await patchOne(id, { options: { UpdateMetadata: true } });
    const job = await finishedJob(api, "acme", sent.body.jobId);
    assert.match(job.failures[0].message, /more than 65536 bytes/);
    assert.deepEqual((await read(id)).metadata, {});
  });

  for (const [what, text] of [
    ["a NUL character", "\u0000"],
    ["half a character", "\ud800"],
    ["more depth than metadata may have", undefined],
  ] as const) {
    it(`both: ${what} from a source is refused, and stops neither change nor others`, async () => {
      let deep: Record<string, unknown> = {};
      for (let depth = 0; depth < 20; depth += 1) deep = { deep };
      const odd = { name: "odd", fetch: async () => (text === undefined ? deep : { text }) };
      knowing = [odd, crm];
      const { id } = await seedPass(api, "acme");
      const options = { UpdateMetadata: true };
      const message = "Source 'odd' delivered what cannot be stored.";
      const now = await patchOne(id, { options: { ...options, BypassQueue: true } });
      assert.deepEqual([now.status, now.body.metadataFailures?.[0].message], [200, message]);
      const sent = await patchOne(id, { additionalData: { points: 1 }, options });
      const job = await finishedJob(api, "acme", sent.body.jobId);
      assert.deepEqual([job.updated, job.failures[0].message], [1, message]);
      const pass = await read(id);
      assert.deepEqual(Object.keys(pass.metadata), ["crm"]);
      assert.equal(pass.additionalData.points, 1);
    });
  }

  it("202: an answer that cannot be written is left out of its change, and noted", async (t) => {
    await api.sql(`create function refuse_answer() returns trigger language plpgsql as
      $$ begin raise exception 'no such luck'; end $$`);
    await api.sql(`create trigger refuse_answer before update on job_item for each row
      when (new.delivered::text like '%unlucky%') execute function refuse_answer()`);
    t.after(() => api.sql("drop trigger refuse_answer on job_item"));
    const unlucky = await seedPass(api, "acme", { identifiers: { "loyalty.number": "unlucky" } });
    const other = await seedPass(api, "acme");
    const passIds = [unlucky.id, other.id];
    knowing = [crm];
    const body = { passIds, additionalData: { points: 5 }, options: { UpdateMetadata: true } };
    const sent = await api.patch("/api/acme/passes", { key, body });
    const job = await finishedJob(api, "acme", sent.body.jobId);
    assert.deepEqual([job.updated, job.failed], [2, 0]);
    assert.deepEqual(job.failures, [
      {
        subject: unlucky.id,
        code: "pass.source-failed",
        message: "What the sources delivered could not be stored.",
      },
    ]);
    assert.deepEqual((await read(unlucky.id)).metadata, {});
    assert.equal((await read(other.id)).metadata.crm.segment, "gold");
  });

  it("200: a source that never answers is given up after ten seconds, and heeds no signal", async () => {
    const hanging = { name: "hanging", fetch: () => new Promise<undefined>(() => undefined) };
    knowing = [hanging, crm];
    const { id } = await seedPass(api, "acme");
    const options = { UpdateMetadata: true, BypassQueue: true };
    const { status, body } = await patchOne(id, { options });
    assert.equal(status, 200);
    assert.equal(body.metadata.crm.segment, "gold");
    assert.deepEqual(body.metadataFailures, [
      { source: "hanging", message: "Source 'hanging' did not answer within 10 seconds." },
    ]);
  });
});
