import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { watchDeadlocks } from "#test/support/deadlocks.ts";
import { holdLock } from "#test/support/hold-lock.ts";
import { customer, openShop, order, refund } from "#test/support/shop-stage.ts";
import { shareApi } from "#test/support/start-api.ts";
import { untilBlocked } from "#test/support/until-blocked.ts";

let count = 0;
const nextTenant = () => {
  count += 1;
  return `ordered-${count}`;
};

describe("writes about the same receipt at the same moment never wait in a circle", () => {
  const api = shareApi();
  const key = () => api().operatorKey;

  async function openWithPass() {
    const shop = await openShop(api(), nextTenant(), { receipts: true });
    await shop.deliver({ body: customer(7) });
    const pass = await shop.pass("7");
    return { ...shop, passId: String(pass?.id), base: `/api/${shop.tenantId}` };
  }

  const holdPrivilege = (t: TestContext, tenantId: string) =>
    holdLock(t, api(), "select from privilege where tenant_id = $1 for update", [tenantId]);

  it("a refund, a change of the pass that it takes points from, and the erasure of the receipt", async (t) => {
    const shop = await openWithPass();
    const { base, passId, tenantId } = shop;
    await shop.deliver({ topic: "orders/paid", body: order(1001, 7, "20.00") });
    const { body: receipts } = await api().get(`${base}/receipts`, { key: key() });
    const deadlocks = watchDeadlocks(api());
    const release = await holdPrivilege(t, tenantId);
    await shop.send({ topic: "refunds/create", body: refund(1, 1001, "5.00") });
    await untilBlocked(api());
    const privilege = { name: "Points", type: "MultiUse", maximum: 1_000 };
    const path = `${base}/passes/${passId}/privileges/points`;
    const change = api().put(path, { key: key(), body: privilege });
    await untilBlocked(api(), 2);
    const erasure = api().delete(`${base}/receipts/${receipts[0].receiptId}`, { key: key() });
    await untilBlocked(api(), 3);

    await release();

    const [changed, erased] = await Promise.all([change, erasure]);
    assert.deepEqual([changed.status, erased.status], [200, 204], changed.text + erased.text);
    const rows = await shop.settled();
    assert.deepEqual(
      rows.map(({ status }) => status),
      ["done", "done", "done"],
    );
    assert.equal(await shop.points("7"), 15);
    assert.deepEqual(deadlocks(), []);
  });

  it("409: the same purchase, told by its shop and sent by a caller", async (t) => {
    const shop = await openWithPass();
    const { base, passId, tenantId } = shop;
    const deadlocks = watchDeadlocks(api());
    const release = await holdPrivilege(t, tenantId);
    await shop.send({ topic: "orders/paid", body: order(1001, 7, "20.00") });
    await untilBlocked(api());
    const lines = [{ description: "Coffee", total: 12 }];
    const body = {
      source: "shopify",
      reference: "#1001",
      passId,
      currency: "EUR",
      lines,
      total: 12,
    };
    const sent = api().post(`${base}/receipts`, { key: key(), body });
    await untilBlocked(api(), 2);

    await release();

    const { status, body: problem, text } = await sent;
    assert.deepEqual([status, problem.type], [409, "urn:problem:receipt.reference-taken"], text);
    const rows = await shop.settled();
    assert.deepEqual(
      rows.map(({ status: outcome }) => outcome),
      ["done", "done"],
    );
    assert.deepEqual(deadlocks(), []);
  });
});
