import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { watchDeadlocks } from "#test/support/deadlocks.ts";
import { holdLock } from "#test/support/hold-lock.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
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

  it("204: the erasures of a pass and of a customer who have several receipts in common", async (t) => {
    const tenantId = nextTenant();
    await seedPassTenant(api(), tenantId);
    const base = `/api/${tenantId}`;
    const { id: passId } = await seedPass(api(), tenantId);
    const made = await api().post(`${base}/customers`, { key: key(), body: {} });
    const { customerId } = made.body;
    const days = ["2026-01-03", "2026-01-02", "2026-01-01"];
    for (const [at, day] of days.entries()) {
      const lines = [{ description: "Tea", total: 5 }];
      const purchase = { reference: `R${at}`, currency: "EUR", lines, total: 5 };
      const body = { ...purchase, passId, customerId, occurredAt: `${day}T00:00:00Z` };
      const { status, text } = await api().post(`${base}/receipts`, { key: key(), body });
      assert.equal(status, 201, text);
    }
    await fillReceipts(tenantId);
    const deadlocks = watchDeadlocks(api());
    const middle = "select from receipt where tenant_id = $1 and reference = 'R1' for update";
    const release = await holdLock(t, api(), middle, [tenantId]);
    const ofPass = api().delete(`${base}/passes/${passId}`, { key: key() });
    await untilBlocked(api());
    const ofCustomer = api().delete(`${base}/customers/${customerId}`, { key: key() });
    await untilBlocked(api(), 2);

    await release();

    const statuses = (await Promise.all([ofPass, ofCustomer])).map(({ status }) => status);
    assert.deepEqual(statuses, [204, 204]);
    assert.deepEqual(deadlocks(), []);
  });

  /** So many that a few are found by an index, each in its own order. */
  async function fillReceipts(tenantId: string): Promise<void> {
    await api().sql(
      `insert into receipt (tenant_id, id, secret, source, reference, fingerprint, pass_id,
                            customer_id, occurred_at, currency, lines, line_count, taxes, total,
                            created_at, updated_at)
       select $1, 'rc_' || n, 's', 'till', 'F' || n, '', 'ps_' || n, 'cus_' || n, now(), 'EUR',
              '[]', 0, '[]', 1, now(), now()
         from generate_series(1, 5000) as n`,
      [tenantId],
    );
    await api().sql("analyze receipt");
  }
});
