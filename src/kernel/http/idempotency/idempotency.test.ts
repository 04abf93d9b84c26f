import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";

describe("Idempotency-Key", () => {
  const api = shareApi();
  let writer = "";
  before(async () => {
    await api().seed.tenant("acme");
    writer = await api().seed.key("acme", "ApiKey.Read", "ApiKey.Write", "Pass.Read");
  });

  const create = (name: string, idempotencyKey: string, key = writer) =>
    api().post("/api/acme/admin/apiKeys", {
      key,
      body: { name, scopes: ["Pass.Read"] },
      headers: { "idempotency-key": idempotencyKey },
    });
  const count = async (name: string) =>
    (await api().sql("select from api_key where name = $1", [name])).length;

  it("gives the first answer again, marked, and makes no second effect", async () => {
    const first = await create("once", "k-1");
    const second = await create("once", "k-1");
    assert.equal(first.status, 201);
    assert.equal(second.status, 201);
    assert.equal(second.text, first.text);
    assert.equal(second.headers.get("location"), first.headers.get("location"));
    assert.equal(first.headers.get("idempotency-replayed"), null);
    assert.equal(second.headers.get("idempotency-replayed"), "true");
    const events = await api().sql(
      "select from event where name = 'api-key.created' and data ->> 'name' = 'once'",
    );
    assert.equal(events.length, 1);
  });

  it("of twenty at once one acts; the others wait or get the same answer", async () => {
    const sent = await Promise.all(Array.from({ length: 20 }, () => create("twenty", "k-20")));
    assert.ok(sent.every(({ status }) => status === 201 || status === 409));
    const tokens = new Set(
      sent.filter(({ status }) => status === 201).map(({ body }) => body.token),
    );
    assert.equal(tokens.size, 1);
    const [refused] = sent.filter(({ status }) => status === 409);
    if (refused !== undefined) assert.equal(refused.body.code, "idempotency.still-running");
    assert.equal(await count("twenty"), 1);
  });

  it("422: the same key for other content, which does nothing", async () => {
    await create("mine", "k-2");
    const other = await create("other", "k-2");
    assert.equal(other.status, 422);
    assert.equal(other.body.code, "idempotency.key-reused");
    assert.equal(await count("other"), 0);
  });

  it("is counted per credential", async () => {
    const second = await api().seed.key("acme", "ApiKey.Write", "Pass.Read");
    assert.equal((await create("of-one", "k-3")).status, 201);
    assert.equal((await create("of-two", "k-3", second)).status, 201);
  });

  it("a refused request leaves nothing, so that it can be mended and sent again", async () => {
    await create("taken", "k-4");
    assert.equal((await create("taken", "k-5")).status, 409);
    await api().delete("/api/acme/admin/apiKeys/taken", { key: api().operatorKey });
    assert.equal((await create("taken", "k-5")).status, 201);
  });

  it("a key older than a day is forgotten", async () => {
    await create("old", "k-6");
    await api().sql("update idempotent_answer set created_at = created_at - interval '25 hours'");
    assert.equal((await create("new", "k-6")).status, 201);
  });

  it("keeps no readable token in the database", async () => {
    const { body } = await create("sealed", "k-7");
    const rows = await api().sql("select answer from idempotent_answer");
    assert.ok(rows.length > 0);
    assert.ok(rows.every(({ answer }) => !(answer as Buffer).includes(body.token)));
  });

  it("400: a key that is no key", async () => {
    for (const bad of ["", "é", "x".repeat(256)]) {
      const sent = await create("bad", bad).catch(() => undefined);
      // fetch itself refuses headers that no client can send.
      if (sent !== undefined) {
        assert.equal(sent.status, 400, bad);
        assert.ok("Idempotency-Key" in sent.body.errors);
      }
    }
  });
});
