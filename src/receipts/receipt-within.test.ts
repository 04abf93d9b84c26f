import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { ProblemError } from "#kernel/errors.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { type ReceiptCreate, receiptDeskOf, recordReceipt, recordRefund } from "./public.ts";

const api = await startApi({ after });
const key = api.operatorKey;
await seedPassTenant(api, "acme");
const call = systemCall(api.runtime, "connector.work", { tenantId: "acme" });
const desk = await receiptDeskOf(call);

const order: ReceiptCreate = {
  source: "shop",
  reference: "1001",
  currency: "EUR",
  lines: [{ description: "Tea", total: "4.50" }],
  total: "4.50",
};

const countOf = async () => {
  const { headers } = await api.get("/api/acme/receipts", { key });
  return Number(headers.get("x-pagination-total"));
};

describe("receipts in the transaction of another module", () => {
  it("are there once, however often their purchase is told, and the first one stays", async () => {
    const { id: passId } = await seedPass(api, "acme");
    const sent = { ...order, passId };
    const first = await call.transaction((tx) => recordReceipt(tx, desk, sent));
    const again = await call.transaction((tx) => recordReceipt(tx, desk, sent));
    const edited = await call.transaction((tx) => recordReceipt(tx, desk, { ...sent, total: 5 }));
    assert.deepEqual([first.isNew, again.isNew, edited.isNew], [true, false, false]);
    assert.deepEqual([again.isSame, edited.isSame, edited.receipt.total], [true, false, "4.5"]);
    assert.equal(await countOf(), 1);
  });

  it("go with the transaction if it fails", async () => {
    const known = await countOf();
    const work = call.transaction(async (tx) => {
      await recordReceipt(tx, desk, { ...order, reference: "1002" });
      throw new Error("The movement was refused.");
    });
    await assert.rejects(work, /refused/);
    assert.equal(await countOf(), known);
  });

  it("are refused by the field that does not fit, whoever sends them", async () => {
    const wrong = { ...order, reference: "1003", lines: [{ description: "nul \u0000", total: 1 }] };
    const work = call.transaction((tx) => recordReceipt(tx, desk, wrong));
    await assert.rejects(work, (error) => {
      assert.ok(error instanceof ProblemError);
      assert.deepEqual(Object.keys(error.errors ?? {}), ["lines[0].description"]);
      return true;
    });
  });

  it("take a refund once, and wait for the purchase it belongs to", async () => {
    const refund = { reference: "R1", amount: "1.5" };
    const early = { source: "shop", reference: "1004" };
    const wait = await call.transaction((tx) => recordRefund(tx, early, refund));
    assert.equal(wait, undefined);
    await call.transaction((tx) => recordReceipt(tx, desk, { ...order, reference: "1004" }));
    const made = await call.transaction((tx) => recordRefund(tx, early, refund));
    const again = await call.transaction((tx) => recordRefund(tx, early, refund));
    assert.deepEqual([made?.isNew, again?.isNew, again?.receipt.refunded], [true, false, "1.5"]);
    const more = call.transaction((tx) =>
      recordRefund(tx, early, { reference: "R2", amount: 3.01 }),
    );
    await assert.rejects(more, { code: "receipt.refund-too-large" });
  });
});
