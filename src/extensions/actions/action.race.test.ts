import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import { watchDeadlocks } from "#test/support/deadlocks.ts";
import { holdLock } from "#test/support/hold-lock.ts";
import { customer, openShop, order } from "#test/support/shop-stage.ts";
import { shareApi } from "#test/support/start-api.ts";
import { untilBlocked } from "#test/support/until-blocked.ts";
import { openVendor } from "#test/support/vendor-stage.ts";

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

  for (const [what, topic, state] of [
    ["a change", "ticket.updated", "complete"],
    // It is followed by itself, however old, and finds only at its own end that it is too old by now.
    ["the end", "ticket.voided", "void"],
  ] as const) {
    it(`${what} of a ticket whose pass is just being erased is passed over`, async (t) => {
      const tenantId = nextTenant();
      const tickets = await openTickets(tenantId);
      await tickets.tell("ticket.completed", "complete", "2026-01-31T09:30:00Z");
      await tickets.hasten();
      const [pass] = await rowsOf("pass", tenantId);
      assert.equal((await rowsOf("connector_ticket", tenantId)).length, 1);
      const deadlocks = watchDeadlocks(api());
      const release = await hold(t, "pass", tenantId);
      const erasure = erase(`/api/${tenantId}/passes/${pass?.id}`);
      await untilBlocked(api());
      await tickets.tell(topic, state, "2026-01-31T10:00:00Z");
      await untilBlocked(api(), 2);

      await release();
      await erasure;

      await tickets.hasten();
      const [, news] = await tickets.deliveries();
      assert.deepEqual([news?.status, news?.body], ["ignored", null]);
      assert.deepEqual(await rowsOf("pass", tenantId), []);
      assert.deepEqual(await rowsOf("connector_ticket", tenantId), []);
      assert.deepEqual(deadlocks(), []);
    });
  }

  /** Tickets of Tito, which tells of each as it is at a time. */
  async function openTickets(tenantId: string) {
    const vendor = await openVendor(api(), tenantId, {
      connector: "tito",
      settings: { securityToken: "hush", fields: { firstName: "name" } },
      identifier: "tito.ticketId",
      sign: () => ({}),
    });
    const tell = async (topic: string, state: string, at: string) => {
      const body = { _type: "ticket", id: 5, name: "Ada", state_name: state, updated_at: at };
      const mac = createHmac("sha256", "hush").update(JSON.stringify(body)).digest("base64");
      const sent = await vendor.send(body, { "x-webhook-name": topic, "tito-signature": mac });
      assert.equal(sent.status, 200, sent.text);
    };
    return { ...vendor, tell };
  }
});
