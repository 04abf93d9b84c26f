import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { PASS_FILES, seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { LINES_MAX } from "./receipt.schema.ts";

const api = await startApi({ after });
const key = api.operatorKey;
const RECEIPTS = "/api/acme/receipts";
const STORES = "stores:\n  - { id: pier, name: Pier 7, address: 7 Harbour Street }\n";
await seedPassTenant(api, "acme", { "server/stores.yml": STORES });

let count = 0;
/** A new purchase each time. */
const purchase = (more: Record<string, unknown> = {}) => {
  count += 1;
  const lines = [{ description: "Flat white", quantity: 2, unitPrice: 4.2, total: 8.4 }];
  return { reference: `order-${count}`, currency: "EUR", lines, total: 8.4, ...more };
};
const post = (body: unknown, more = {}) => api.post(RECEIPTS, { key, body, ...more });
async function recorded(more: Record<string, unknown> = {}) {
  const { status, body, text } = await post(purchase(more));
  assert.equal(status, 201, text);
  return body;
}
const metadataOf = async (passId: string) =>
  (await api.get(`/api/acme/passes/${passId}`, { key })).body.metadata;
const eventsOf = (receiptId: string) =>
  api.sql("select name, data from event where subject = $1 order by sequence", [receiptId]);

describe("POST /api/:tenantId/receipts (receipt.create)", () => {
  it("201: keeps everything as it was sent, and tells of it without the lines and the link", async () => {
    const sent = purchase({
      source: "till",
      store: { id: "t7", name: "Till 7", address: "Harbour" },
      occurredAt: "2026-01-31T10:30:00+01:00",
      lines: [
        { description: "Tea", quantity: "0.25", unitPrice: 100, total: 25, taxRate: 5.5 },
        { description: "Discount", total: -1 },
      ],
      subtotal: 24,
      taxes: [{ name: "VAT", rate: 5.5, amount: 1.32 }, { amount: 0 }],
      total: 25.32,
      paidBy: "Cash",
      pointsEarned: 25,
      note: "See you soon.",
      locale: "fr-ch",
    });
    const { status, body, headers, text } = await post(sent);
    assert.equal(status, 201, text);
    const { receiptId, url, createdAt, updatedAt, ...rest } = body;
    assert.deepEqual(rest, {
      source: "till",
      reference: sent.reference,
      passId: null,
      customerId: null,
      store: { id: "t7", name: "Till 7", address: "Harbour" },
      occurredAt: "2026-01-31T09:30:00.000Z",
      currency: "EUR",
      lineCount: 2,
      subtotal: 24,
      taxes: [
        { name: "VAT", rate: 5.5, amount: 1.32 },
        { name: null, rate: null, amount: 0 },
      ],
      total: 25.32,
      paidBy: "Cash",
      refunded: 0,
      pointsEarned: 25,
      note: "See you soon.",
      locale: "fr-CH",
      version: 1,
      lines: [
        { description: "Tea", quantity: 0.25, unitPrice: 100, total: 25, taxRate: 5.5 },
        { description: "Discount", quantity: 1, unitPrice: null, total: -1, taxRate: null },
      ],
      refunds: [],
    });
    assert.equal(headers.get("location"), `${RECEIPTS}/${receiptId}`);
    const read = await api.get(`${RECEIPTS}/${receiptId}`, { key });
    assert.deepEqual([read.status, read.body], [200, body]);
    const { lines: _lines, refunds: _refunds, url: _url, ...told } = body;
    assert.deepEqual(await eventsOf(receiptId), [{ name: "receipt.created", data: told }]);
  });

  it("201: amounts come back to the last digit, also where a double would change them", async () => {
    const exact = '"total":123456789012345.6789';
    const lines = '"lines":[{"description":"Yacht","total":"999999999999999.9999"}]';
    const raw = `{"reference":"exact","currency":"EUR",${lines},${exact}}`;
    const { status, text } = await api.post(RECEIPTS, {
      key,
      rawBody: raw,
      headers: { "content-type": "application/json" },
    });
    assert.equal(status, 201, text);
    assert.ok(text.includes(exact), text);
    assert.ok(text.includes('"total":999999999999999.9999'), text);
    const list = await api.get(
      `${RECEIPTS}?filter[0].field=reference&filter[0].operator=equals&filter[0].value=exact`,
      { key },
    );
    assert.ok(list.text.includes(exact), list.text);
  });

  it("200: the same purchase again is the same receipt, also at the same moment", async () => {
    const sent = purchase({ source: "shop" });
    const answers = await Promise.all([1, 2, 3, 4].map(() => post(sent)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 200, 201]);
    const ids = new Set(answers.map(({ body }) => body.receiptId));
    assert.equal(ids.size, 1);
    const [id = ""] = ids;
    assert.equal((await eventsOf(id)).length, 1);
    const otherSource = await post({ ...sent, source: "till" });
    assert.equal(otherSource.status, 201);
  });

  it("409: another purchase with its number is refused, and named", async () => {
    const sent = purchase();
    const { body: first } = await post(sent);
    const { status, body } = await post({ ...sent, total: 8.5 });
    assert.deepEqual(
      [status, body.code, body.receiptId],
      [409, "receipt.reference-taken", first.receiptId],
    );
  });

  it("201: a store is named by the tenant's file, and keeps that name", async () => {
    const { store } = await recorded({ store: { id: "pier" } });
    assert.deepEqual(store, { id: "pier", name: "Pier 7", address: "7 Harbour Street" });
    const unknown = await recorded({ store: { id: "moon" } });
    assert.deepEqual(unknown.store, { id: "moon", name: null, address: null });
  });

  it("400: names every field that does not fit", async () => {
    const line = { description: "x", total: 1 };
    const cases: [Record<string, unknown>, string][] = [
      [{ currency: "EURO" }, "currency"],
      [{ currency: "XQQ" }, "currency"],
      [{ total: "12,50" }, "total"],
      [{ total: 1.23456 }, "total"],
      [{ lines: [{ ...line, total: "1e400" }] }, "lines[0].total"],
      [{ lines: [{ ...line, description: "" }] }, "lines[0].description"],
      [{ lines: Array(LINES_MAX + 1).fill(line) }, "lines"],
      [{ taxes: [{ rate: 10 }] }, "taxes[0].amount"],
      [{ reference: "x".repeat(201) }, "reference"],
      [{ source: "My Till" }, "source"],
      [{ locale: "fr_FR" }, "locale"],
      [{ occurredAt: "yesterday" }, "occurredAt"],
      [{ occurredAt: new Date(Date.now() + 2 * 86_400_000).toISOString() }, "occurredAt"],
      [{ passId: "ps_nobody" }, "passId"],
      [{ customerId: "cus_nobody" }, "customerId"],
      [{ tip: 1 }, "tip"],
    ];
    for (const [more, field] of cases) {
      const { status, body, text } = await post(purchase(more));
      assert.equal(status, 400, `${field}: ${text}`);
      assert.deepEqual(Object.keys(body.errors), [field], text);
    }
    const [row] = await api.sql(
      "select count(*)::integer as count from receipt where total = 1.2345",
    );
    assert.equal(row?.count, 0);
  });

  it("400: another tenant's pass and customer are as unknown as none", async () => {
    await seedPassTenant(api, "rival");
    const { id: passId } = await seedPass(api, "rival");
    const { status, body } = await post(purchase({ passId }));
    assert.deepEqual([status, Object.keys(body.errors)], [400, ["passId"]]);
    const { body: customer } = await api.post("/api/rival/customers", { key, body: {} });
    const foreign = await post(purchase({ customerId: customer.customerId }));
    assert.deepEqual([foreign.status, Object.keys(foreign.body.errors)], [400, ["customerId"]]);
  });

  it("201: takes as many lines as it may", async () => {
    const lines = Array.from({ length: LINES_MAX }, (_, at) => ({
      description: "é".repeat(200),
      total: at,
    }));
    const { lineCount, receiptId } = await recorded({ lines });
    const { body } = await api.get(`${RECEIPTS}/${receiptId}`, { key });
    assert.deepEqual([lineCount, body.lines.length, body.lines.at(-1).total], [200, 200, 199]);
  });
});

describe("the link on a pass", () => {
  it("leads to its newest receipt, whichever came last", async () => {
    const { id: passId, version } = await seedPass(api, "acme");
    const newest = await recorded({ passId, total: 12.5, occurredAt: "2026-02-02T10:00:00Z" });
    const expected = {
      url: newest.url,
      total: "12.50",
      currency: "EUR",
      date: "2026-02-02T10:00:00.000Z",
      count: 1,
    };
    assert.deepEqual(await metadataOf(passId), { receipts: expected });
    await recorded({ passId, occurredAt: "2026-01-01T10:00:00Z" });
    assert.deepEqual(await metadataOf(passId), { receipts: { ...expected, count: 2 } });
    const newer = await recorded({
      passId,
      currency: "JPY",
      total: 900,
      occurredAt: "2026-03-03T10:00:00Z",
    });
    const { receipts } = await metadataOf(passId);
    assert.deepEqual([receipts.url, receipts.total, receipts.count], [newer.url, "900", 3]);
    const { body: pass } = await api.get(`/api/acme/passes/${passId}`, { key });
    assert.equal(pass.version, version + 3);
    const updates = await api.sql(
      "select data -> 'metadata' -> 'receipts' ->> 'url' as url from event where subject = $1 and name = 'pass.updated' order by sequence desc limit 1",
      [passId],
    );
    assert.deepEqual(updates, [{ url: newer.url }]);
  });

  it("is right when many purchases come at once", async () => {
    const { id: passId } = await seedPass(api, "acme");
    const hours = [3, 8, 1, 6, 2, 7, 4, 5];
    const made = await Promise.all(
      hours.map((hour) => recorded({ passId, occurredAt: `2026-02-02T0${hour}:00:00Z` })),
    );
    const { receipts } = await metadataOf(passId);
    assert.deepEqual([receipts.url, receipts.count], [made[1].url, hours.length]);
  });

  it("is shown by a template, and the pass refreshes", async () => {
    const field =
      '  back: [ { key: receipt, label: Receipt, value: "{{ metadata.receipts.url }}" } ]\n';
    const template = String(PASS_FILES["server/passes/loyalty.yml"]).replace(
      "privileges:",
      `${field}privileges:`,
    );
    await seedPassTenant(api, "shown", { "server/passes/loyalty.yml": template });
    const { id: passId } = await seedPass(api, "shown");
    const { body } = await api.post("/api/shown/receipts", { key, body: purchase({ passId }) });
    const { text, status } = await api.get(`/api/shown/passes/${passId}/content`, { key });
    assert.equal(status, 200, text);
    assert.ok(text.includes(body.url), text);
  });
});

describe("POST /api/:tenantId/receipts/:receiptId/refunds (receipt.refund)", () => {
  const refund = (receiptId: string, body: object, more = {}) =>
    api.post(`${RECEIPTS}/${receiptId}/refunds`, { key, body, ...more });

  it("201: is noted to the last digit, once for each reference, and told of", async () => {
    const { receiptId } = await recorded({ total: "10.0003" });
    const sent = {
      reference: "R1",
      amount: "3.0001",
      reason: "Cold",
      occurredAt: "2026-02-03T00:00:00Z",
    };
    const answers = [await refund(receiptId, sent), await refund(receiptId, sent)];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 200],
    );
    const { status, body } = await refund(receiptId, { reference: "R2", amount: 7.0002 });
    assert.deepEqual([status, body.refunded, body.version], [201, 10.0003, 3]);
    assert.deepEqual(body.refunds[0], {
      ...sent,
      amount: 3.0001,
      occurredAt: "2026-02-03T00:00:00.000Z",
    });
    const events = await eventsOf(receiptId);
    assert.deepEqual(
      events.map(({ name, data }) => [name, (data as { refunded: number }).refunded]),
      [
        ["receipt.created", 0],
        ["receipt.updated", 3.0001],
        ["receipt.updated", 10.0003],
      ],
    );
  });

  it("409: never more than was paid, whoever comes first", async () => {
    const { receiptId } = await recorded({ total: 10 });
    const answers = await Promise.all(
      ["a", "b", "c"].map((reference) => refund(receiptId, { reference, amount: 4 })),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 201, 409]);
    const refused = answers.find(({ status }) => status === 409);
    assert.deepEqual([refused?.body.code, refused?.body.left], ["receipt.refund-too-large", 2]);
    const { body } = await api.get(`${RECEIPTS}/${receiptId}`, { key });
    const [{ reference }] = body.refunds;
    const other = await refund(receiptId, { reference, amount: 1 });
    assert.deepEqual([other.status, other.body.code], [409, "receipt.reference-taken"]);
  });

  it("400, 404, 412: what is no amount, no receipt, or another version", async () => {
    const { receiptId } = await recorded();
    for (const amount of [0, -1, "x"]) {
      const { status, body } = await refund(receiptId, { reference: "r", amount });
      assert.deepEqual([status, Object.keys(body.errors)], [400, ["amount"]]);
    }
    assert.equal((await refund("rc_nobody", { reference: "r", amount: 1 })).status, 404);
    const stale = { headers: { "if-match": '"other"' } };
    assert.equal((await refund(receiptId, { reference: "r", amount: 1 }, stale)).status, 412);
  });
});
