import assert from "node:assert/strict";
import { after, describe, it, type TestContext } from "node:test";
import { seedCard, seedScanTenant } from "#test/support/scan-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { createStage } from "#test/support/webhook-stage.ts";

/** Longer than a request is said to be running. */
const LATER_MS = 121_000;

let offsetMs = 0;
const clock = { now: () => new Date(Date.now() + offsetMs) };
const api = await startApi({ after }, { clock });
const { open, post } = createStage(api);
await seedScanTenant(api, "acme");

/** The database takes the notes of requests, and none of their answers. */
async function refuseAnswers(t: TestContext) {
  await api.sql(`
    create function refuse_answer() returns trigger language plpgsql as $$
      begin raise exception 'no room' using errcode = '53100'; end $$;
    create trigger refuse_answer before update of answer on idempotent_answer
      for each row when (new.answer is not null) execute function refuse_answer()
  `);
  const mend = () => api.sql("drop function if exists refuse_answer cascade");
  t.after(mend);
  return { mend };
}

describe("a request in steps whose answer cannot be stored", () => {
  it("200: is answered, and nothing is done twice while it is stored and ever after", async (t) => {
    const { receiver, hook } = await open(t);
    const send = () => post(`${hook.path}/test`, {}, { "idempotency-key": "full" });
    const database = await refuseAnswers(t);
    const first = await send();
    assert.equal(first.status, 200, first.text);
    const second = await send();
    assert.deepEqual([second.status, second.body.code], [409, "idempotency.still-running"]);
    await database.mend();
    await until(async () => (await send()).status === 200);
    const again = await send();
    assert.equal(again.headers.get("idempotency-replayed"), "true");
    assert.equal(again.text, first.text);
    assert.equal(receiver.received.length, 1);
  });

  it("409: is not run again when the time of its note is over", async (t) => {
    const { receiver, hook } = await open(t);
    const send = () => post(`${hook.path}/test`, {}, { "idempotency-key": "late" });
    const database = await refuseAnswers(t);
    const first = await send();
    assert.equal(first.status, 200, first.text);
    offsetMs = LATER_MS;
    t.after(() => {
      offsetMs = 0;
    });
    assert.equal((await send()).status, 409);
    await database.mend();
    await until(async () => (await send()).status === 200);
    assert.equal((await send()).text, first.text);
    assert.equal(receiver.received.length, 1);
  });

  it("409: on every other node, too", async (t) => {
    const { receiver, hook } = await open(t);
    const headers = { "idempotency-key": "elsewhere" };
    const database = await refuseAnswers(t);
    const first = await post(`${hook.path}/test`, {}, headers);
    assert.equal(first.status, 200, first.text);
    const node = await api.node({ ROLES: "api" }, { owner: t });
    const send = () => node.post(`${hook.path}/test`, { key: api.operatorKey, body: {}, headers });
    assert.equal((await send()).status, 409);
    await database.mend();
    await until(async () => (await send()).status === 200);
    assert.equal((await send()).text, first.text);
    assert.equal(receiver.received.length, 1);
  });

  it("409: never takes the place of the note of a node that runs it again since", async (t) => {
    const { hook } = await open(t);
    const database = await refuseAnswers(t);
    const first = await post(`${hook.path}/test`, {}, { "idempotency-key": "again" });
    assert.equal(first.status, 200, first.text);
    const noteOf = (change: string) =>
      api.sql(
        `update idempotent_answer set ${change}
          where op = 'webhook.test' and key_hash = sha256('again') returning md5(answer) as note`,
      );
    // As that of the other node, which began later.
    const [note] = await noteOf("created_at = created_at + interval '1 second'");
    await database.mend();
    await until(async () => api.logLines.some((line) => line.includes("has no place any more")));
    assert.deepEqual(await noteOf("op = op"), [note]);
  });

  it("409: leaves no answer about a pass that was erased before it could be stored", async (t) => {
    const id = await seedCard(api, "acme", "gone");
    const key = api.operatorKey;
    const scans = [{ data: "M-gone", type: "qrcode", reference: "gone-1" }];
    const headers = { "idempotency-key": "gone" };
    const send = () => api.post("/api/acme/scans/batch", { key, body: { scans }, headers });
    const database = await refuseAnswers(t);
    const first = await send();
    assert.equal(first.body.results?.[0].outcome, "recorded", first.text);
    assert.equal((await api.delete(`/api/acme/passes/${id}`, { key })).status, 204);
    await database.mend();
    await until(async () => (await send()).body.code === "idempotency.answer-erased");
  });
});
