import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { finishTask } from "#test/support/tasks.ts";
import { until } from "#test/support/webhook-receiver.ts";

const api = await startApi({ after });
const key = api.operatorKey;
await seedPassTenant(api, "acme");

let count = 0;
/** A word that occurs nowhere else in the database. */
const newWord = () => {
  count += 1;
  return `Wilhelmina-Quetzalcoatl-${count}x`;
};

async function record(word: string, more: object = {}, tenantId = "acme", headers = {}) {
  const body = {
    reference: word,
    currency: "EUR",
    lines: [{ description: word, total: 5 }],
    total: 5,
    note: word,
    ...more,
  };
  return await api.post(`/api/${tenantId}/receipts`, { key, body, headers });
}

async function recorded(word: string, more: object = {}, headers = {}) {
  const answer = await record(word, more, "acme", headers);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

async function tablesWith(word: string): Promise<string[]> {
  const tables = await api.sql(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const text = `select from ${name} as line where line::text like $1 limit 1`;
    if ((await api.sql(text, [`%${word}%`])).length > 0) found.push(String(name));
  }
  return found;
}

const pageOf = (url: string) => api.get(new URL(url).pathname);
const receiptsOn = async (passId: string) =>
  (await api.get(`/api/acme/passes/${passId}`, { key })).body.metadata.receipts;

async function seedCustomer(identifiers: object = {}): Promise<string> {
  const { status, body, text } = await api.post("/api/acme/customers", {
    key,
    body: { identifiers },
  });
  assert.equal(status, 201, text);
  return body.customerId;
}

describe("DELETE /api/:tenantId/receipts/:receiptId (receipt.delete)", () => {
  it("204: what was bought is nowhere any more, and that it was is still counted", async () => {
    const word = newWord();
    const { receiptId, url } = await recorded(word, {}, { "idempotency-key": word });
    const refund = { reference: word, amount: 1, reason: word };
    await api.post(`/api/acme/receipts/${receiptId}/refunds`, { key, body: refund });
    assert.equal((await pageOf(url)).status, 200);
    const path = `/api/acme/receipts/${receiptId}`;
    assert.equal((await api.delete(path, { key })).status, 204);
    assert.deepEqual(await tablesWith(word), []);
    assert.equal((await pageOf(url)).status, 404);
    const again = [await api.get(path, { key }), await api.delete(path, { key })];
    assert.deepEqual(
      again.map(({ status }) => status),
      [404, 404],
    );
    const told = await api.sql("select name from event where subject = $1 order by sequence", [
      receiptId,
    ]);
    assert.deepEqual(
      told.map(({ name }) => name),
      ["receipt.created", "receipt.updated", "receipt.deleted"],
    );
  });

  it("204: the pass links to the newest one that is left, and then to none", async () => {
    const { id: passId } = await seedPass(api, "acme");
    const older = await recorded(newWord(), { passId, occurredAt: "2026-01-01T00:00:00Z" });
    const newer = await recorded(newWord(), { passId, occurredAt: "2026-01-02T00:00:00Z" });
    await api.delete(`/api/acme/receipts/${newer.receiptId}`, { key });
    const { url, count: left } = await receiptsOn(passId);
    assert.deepEqual([url, left], [older.url, 1]);
    await api.delete(`/api/acme/receipts/${older.receiptId}`, { key });
    assert.equal(await receiptsOn(passId), undefined);
  });

  it("412: another version than the caller has seen", async () => {
    const { receiptId } = await recorded(newWord());
    const path = `/api/acme/receipts/${receiptId}`;
    const stale = { key, headers: { "if-match": '"other"' } };
    assert.equal((await api.delete(path, stale)).status, 412);
    const { headers } = await api.get(path, { key });
    const seen = { key, headers: { "if-match": headers.get("etag") ?? "" } };
    assert.equal((await api.delete(path, seen)).status, 204);
  });
});

describe("the erasure of a pass", () => {
  it("erases its receipts with all that tells of them", async () => {
    const word = newWord();
    const { id: passId } = await seedPass(api, "acme");
    const { url } = await recorded(word, { passId }, { "idempotency-key": word });
    await api.delete(`/api/acme/passes/${passId}`, { key });
    assert.deepEqual(await tablesWith(word), []);
    assert.equal((await pageOf(url)).status, 404);
  });

  it("leaves none that comes at the same moment", async () => {
    for (let round = 0; round < 4; round += 1) {
      const { id: passId } = await seedPass(api, "acme");
      const words = Array.from({ length: 6 }, newWord);
      const [erased, ...made] = await Promise.all([
        api.delete(`/api/acme/passes/${passId}`, { key }),
        ...words.map((word) => record(word, { passId })),
      ]);
      assert.equal(erased.status, 204, erased.text);
      for (const { status, text } of made) assert.ok([201, 400].includes(status), text);
      for (const word of words) assert.deepEqual(await tablesWith(word), [], word);
    }
  });
});

describe("the erasure of a customer", () => {
  it("erases their receipts, and passes that stay link to what is left", async () => {
    const [word, other] = [newWord(), newWord()];
    const customerId = await seedCustomer();
    const { id: passId } = await seedPass(api, "acme");
    const kept = await recorded(other, { passId, occurredAt: "2026-01-01T00:00:00Z" });
    const gone = await recorded(word, { passId, customerId }, { "idempotency-key": word });
    assert.equal((await receiptsOn(passId)).url, gone.url);
    const { status } = await api.delete(`/api/acme/customers/${customerId}`, { key });
    assert.equal(status, 204);
    assert.deepEqual(await tablesWith(word), []);
    assert.deepEqual(
      [(await pageOf(gone.url)).status, (await pageOf(kept.url)).status],
      [404, 200],
    );
    let last: unknown;
    await until(
      async () => {
        last = await receiptsOn(passId);
        return (last as { url: string }).url === kept.url;
      },
      () => JSON.stringify(last),
    );
  });

  it("with their passes, erases the receipts of both", async () => {
    const words = [newWord(), newWord()];
    const identifiers = { "loyalty.number": newWord() };
    const customerId = await seedCustomer(identifiers);
    const { id: passId } = await seedPass(api, "acme", { identifiers });
    await recorded(words[0] ?? "", { passId });
    await recorded(words[1] ?? "", { customerId });
    const path = `/api/acme/customers/${customerId}?passes=true`;
    const { status, text } = await api.delete(path, { key });
    assert.equal(status, 204, text);
    for (const word of words) assert.deepEqual(await tablesWith(word), []);
  });
});

describe("retention.receiptDays", () => {
  const SCHEDULE = 'tasks:\n  - { id: purge, kind: purge, cron: "0 0 29 2 *" }\n';
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

  it("deletes receipts of purchases that are longer ago, after ten years by itself", async () => {
    const cases = [
      ["short", "name: Short\nretention: { receiptDays: 7 }\n", 6, 8],
      ["usual", "name: Usual\n", 3_640, 3_660],
    ] as const;
    for (const [tenantId, settings, young, old] of cases) {
      await seedPassTenant(api, tenantId, {
        "tenant.yml": settings,
        "server/schedule.yml": SCHEDULE,
      });
      const { id: passId } = await seedPass(api, tenantId);
      const word = newWord();
      const kept = await record(newWord(), { occurredAt: daysAgo(young) }, tenantId);
      const due = await record(word, { passId, occurredAt: daysAgo(old) }, tenantId);
      assert.deepEqual([kept.status, due.status], [201, 201]);
      const { counts, status } = await finishTask(api, tenantId, "purge");
      assert.deepEqual([status, counts.receipts], ["succeeded", 1]);
      assert.deepEqual(await tablesWith(word), []);
      const { body } = await api.get(`/api/${tenantId}/receipts`, { key });
      assert.deepEqual(
        body.map((entry: { receiptId: string }) => entry.receiptId),
        [kept.body.receiptId],
      );
      let last: unknown;
      await until(
        async () => {
          last = (await api.get(`/api/${tenantId}/passes/${passId}`, { key })).body.metadata;
          return JSON.stringify(last) === "{}";
        },
        () => JSON.stringify(last),
      );
    }
  });
});
