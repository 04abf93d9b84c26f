import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const key = api.operatorKey;
const RECEIPTS = "/api/acme/receipts";
await seedPassTenant(api, "acme");

let count = 0;
/** A new purchase each time. */
const purchase = (more: Record<string, unknown> = {}) => {
  count += 1;
  const lines = [{ description: "Flat white", quantity: 2, unitPrice: 4.2, total: 8.4 }];
  return { reference: `order-${count}`, currency: "EUR", lines, total: 8.4, ...more };
};
async function recorded(more: Record<string, unknown> = {}) {
  const { status, body, text } = await api.post(RECEIPTS, { key, body: purchase(more) });
  assert.equal(status, 201, text);
  return body;
}

describe("GET /api/:tenantId/receipts (receipt.list, receipt.get)", () => {
  it("200: by pages, the newest first, without lines", async () => {
    await api.seed.tenant("paged");
    const made: string[] = [];
    for (const total of [1, 2, 3]) {
      const body = purchase({ total });
      made.unshift((await api.post("/api/paged/receipts", { key, body })).body.receiptId);
    }
    const first = await api.get("/api/paged/receipts?pageSize=2", { key });
    assert.equal(first.headers.get("x-pagination-total"), "3");
    const [, next = ""] = /<([^>]+)>/.exec(first.headers.get("link") ?? "") ?? [];
    const second = await api.get(next.replace(api.url, ""), { key });
    const all = [...first.body, ...second.body];
    assert.deepEqual(
      all.map(({ receiptId }) => receiptId),
      made,
    );
    assert.ok(all.every((entry) => !("lines" in entry) && !("refunds" in entry) && entry.url));
  });

  it("200: found by source, reference, pass, customer, time and total", async () => {
    await seedPassTenant(api, "found");
    const { id: passId } = await seedPass(api, "found");
    const { body: customer } = await api.post("/api/found/customers", { key, body: {} });
    const send = (body: object) => api.post("/api/found/receipts", { key, body });
    const { customerId } = customer;
    const { body: wanted } = await send(
      purchase({
        source: "web",
        passId,
        customerId,
        total: 50,
        occurredAt: "2026-05-05T00:00:00Z",
      }),
    );
    await send(purchase({ occurredAt: "2026-06-06T00:00:00Z" }));
    const cases = [
      ["source", "equals", "web"],
      ["reference", "equals", wanted.reference],
      ["passId", "equals", passId],
      ["customerId", "equals", customerId],
      ["occurredAt", "lessThan", "2026-05-06"],
      ["total", "greaterThan", "49.9999"],
    ];
    for (const [field, operator, value] of cases) {
      const filter = new URLSearchParams({
        "filter[0].field": field ?? "",
        "filter[0].operator": operator ?? "",
        "filter[0].value": value ?? "",
      });
      const { body, text } = await api.get(`/api/found/receipts?${filter}`, { key });
      assert.deepEqual(
        body.map?.(({ receiptId }: { receiptId: string }) => receiptId),
        [wanted.receiptId],
        text,
      );
    }
  });

  it("200, 404: of a pass, by its id or an identifier (receipt.list-of-pass, receipt.list-of-pass-by-identifier)", async () => {
    const identifiers = { "loyalty.number": "by-number" };
    const { id: passId } = await seedPass(api, "acme", { identifiers });
    const { receiptId } = await recorded({ passId });
    await recorded({ passId: (await seedPass(api, "acme")).id });
    for (const pass of [passId, "by/loyalty.number/by-number"]) {
      const { body } = await api.get(`/api/acme/passes/${pass}/receipts`, { key });
      assert.deepEqual(
        body.map((entry: { receiptId: string }) => entry.receiptId),
        [receiptId],
      );
    }
    const { status, body } = await api.get("/api/acme/passes/ps_nobody/receipts", { key });
    assert.deepEqual([status, body.code], [404, "pass.not-found"]);
  });

  it("200, 403: with a pass, for those who may read receipts (expand=receipts)", async () => {
    const { id: passId } = await seedPass(api, "acme");
    const { receiptId } = await recorded({ passId });
    const path = `/api/acme/passes/${passId}?expand=receipts`;
    const both = await api.seed.key("acme", "Pass.Read", "Receipt.Read");
    const { body } = await api.get(path, { key: both });
    assert.deepEqual(
      body.receipts.map((entry: { receiptId: string }) => entry.receiptId),
      [receiptId],
    );
    const one = await api.get(path, { key: await api.seed.key("acme", "Pass.Read") });
    assert.equal(one.status, 403);
  });

  it("404: a receipt of another tenant is as unknown as none", async () => {
    const { receiptId } = await recorded();
    await api.seed.tenant("stranger");
    for (const path of [`/api/stranger/receipts/${receiptId}`, `${RECEIPTS}/rc_nobody`]) {
      const { status, body } = await api.get(path, { key });
      assert.deepEqual([status, body.code], [404, "receipt.not-found"]);
    }
  });
});
