import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { watchDeadlocks } from "#test/support/deadlocks.ts";
import { holdLock } from "#test/support/hold-lock.ts";
import { customer, openShop, order } from "#test/support/shop-stage.ts";
import { shareApi } from "#test/support/start-api.ts";
import { untilBlocked } from "#test/support/until-blocked.ts";

let count = 0;
const nextTenant = () => {
  count += 1;
  return `ordered-${count}`;
};

/**
 * Each test holds a row for which both sides wait. Who comes first has locked what the other one
 * wants next, as far as that is possible, when the row is let go.
 */
describe("a delivery and an erasure at the same moment never wait for each other in a circle", () => {
  const api = shareApi();
  const key = () => api().operatorKey;

  const hold = (t: TestContext, table: string, tenantId: string) =>
    holdLock(t, api(), `select from ${table} where tenant_id = $1 for update`, [tenantId]);

  async function erase(path: string): Promise<void> {
    const { status, text } = await api().delete(path, { key: key() });
    assert.equal(status, 204, text);
  }

  const rowsOf = (table: string, tenantId: string) =>
    api().sql(`select * from ${table} where tenant_id = $1`, [tenantId]);

  it("an order with a receipt is done, and then its pass is erased", async (t) => {
    const shop = await openShop(api(), nextTenant(), { receipts: true });
    const { tenantId } = shop;
    await shop.deliver({ body: customer(7) });
    const pass = await shop.pass("7");
    const deadlocks = watchDeadlocks(api());
    const release = await hold(t, "privilege", tenantId);
    await shop.send({ topic: "orders/paid", body: order(1001, 7, "20.00") });
    await untilBlocked(api());
    const erasure = erase(`/api/${tenantId}/passes/${pass?.id}`);
    await untilBlocked(api(), 2);

    await release();
    await erasure;

    const rows = await shop.settled();
    assert.deepEqual(
      rows.map(({ status }) => status),
      ["done", "done"],
    );
    assert.deepEqual(await rowsOf("pass", tenantId), []);
    assert.deepEqual(await rowsOf("receipt", tenantId), []);
    assert.deepEqual(deadlocks(), []);
  });

  for (const [table, path] of [
    ["customer", "customers"],
    ["pass", "passes"],
  ] as const) {
    it(`news of a ${table} that is just being erased are passed over`, async (t) => {
      const shop = await openShop(api(), nextTenant());
      const { tenantId } = shop;
      await shop.deliver({ body: customer(7) });
      const [row] = await rowsOf(table, tenantId);
      const deadlocks = watchDeadlocks(api());
      const release = await hold(t, table, tenantId);
      const erasure = erase(`/api/${tenantId}/${path}/${row?.id}`);
      await untilBlocked(api());
      await shop.send({ body: customer(7, { updated_at: "2026-01-31T10:00:00Z" }) });
      await untilBlocked(api(), 2);

      await release();
      await erasure;

      const [, news] = await shop.settled();
      assert.deepEqual([news?.status, news?.body], ["ignored", null]);
      assert.match(String(news?.problem), /older than the erasure/);
      assert.deepEqual(await rowsOf(table, tenantId), []);
      assert.deepEqual(deadlocks(), []);
    });
  }
});
