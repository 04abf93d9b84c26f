import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cancelled, customer, openShop, order, refund } from "#test/support/shop-stage.ts";
import { shareApi } from "#test/support/start-api.ts";

let count = 0;
const nextTenant = () => {
  count += 1;
  return `shop-${count}`;
};

describe("what Shopify sends", () => {
  const api = shareApi();

  it("a customer becomes a customer and a pass, and changes with them", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.deliver({ topic: "customers/create", body: customer("706405506930370084") });
    const pass = await shop.pass("706405506930370084");
    assert.deepEqual(pass?.data, { firstName: "Ada" });
    const [known] = await api().sql("select * from customer where tenant_id = $1", [shop.tenantId]);
    assert.deepEqual(
      [known?.email, known?.last_name, known?.identifiers],
      [
        "c706405506930370084@example.com",
        "Lovelace",
        { "shopify.customerId": "706405506930370084" },
      ],
    );
    const later = { first_name: "Augusta", updated_at: "2026-02-01T00:00:00Z", phone: "12 34" };
    await shop.deliver({ body: customer("706405506930370084", later) });
    assert.deepEqual((await shop.pass("706405506930370084"))?.data, { firstName: "Augusta" });
    const rows = await shop.deliveries();
    assert.deepEqual(
      rows.map(({ status }) => status),
      ["done", "done"],
    );
  });

  it("what another shop of the same app tells is acknowledged and not kept", async () => {
    const shop = await openShop(api(), nextTenant());
    const headers = { "x-shopify-shop-domain": "other.myshopify.com" };
    const { status } = await shop.send({ body: customer(1), headers });
    assert.deepEqual([status, await shop.deliveries()], [200, []]);
    assert.equal(await shop.pass("1"), undefined);
  });

  it("an update that is older than what is known is passed over", async () => {
    const shop = await openShop(api(), nextTenant());
    const at = (day: number) => `2026-02-0${day}T00:00:00Z`;
    await shop.deliver({ body: customer(1, { first_name: "New", updated_at: at(5) }) });
    await shop.deliver({ body: customer(1, { first_name: "Old", updated_at: at(4) }) });
    assert.deepEqual((await shop.pass("1"))?.data, { firstName: "New" });
    const [, old] = await shop.deliveries();
    assert.equal(old?.status, "ignored");
    assert.match(String(old?.problem), /newer/);
  });

  it("a paid order gives its value once, however often it is told", async () => {
    const shop = await openShop(api(), nextTenant());
    const body = order(1001, 7, "12.90");
    await shop.deliver({ topic: "orders/paid", body, id: "w-1" });
    await shop.deliver({ topic: "orders/paid", body, id: "w-1" });
    await shop.deliver({ topic: "orders/paid", body, id: "w-2" });
    assert.equal(await shop.points("7"), 12);
    const key = api().operatorKey;
    const [first] = await shop.deliveries();
    await api().post(`${shop.path}/inbox/${first?.id}/replay`, { key });
    await shop.settled();
    assert.equal(await shop.points("7"), 12);
    const [row] = await shop.deliveries();
    assert.equal(row?.status, "done");
  });

  it("an order before its customer makes the pass, and does not overwrite what is newer", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.deliver({ topic: "orders/paid", body: order(1, 7, "5.00") });
    assert.equal(await shop.points("7"), 5);
    await shop.deliver({ body: customer(7, { first_name: "Grace" }) });
    await shop.deliver({ topic: "orders/paid", body: order(2, 7, "5.00") });
    assert.deepEqual((await shop.pass("7"))?.data, { firstName: "Grace" });
    assert.equal(await shop.points("7"), 10);
  });

  it("refunds and cancellations take back what was given, and never more", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.deliver({ topic: "orders/paid", body: order(1001, 7, "20.00") });
    await shop.deliver({ topic: "refunds/create", body: refund(1, 1001, "5.00") });
    assert.equal(await shop.points("7"), 15);
    await shop.deliver({ topic: "refunds/create", body: refund(1, 1001, "5.00") });
    assert.equal(await shop.points("7"), 15);
    await shop.deliver({ topic: "refunds/create", body: refund(2, 1001, "400.00") });
    assert.equal(await shop.points("7"), 0);
    await shop.deliver({ topic: "orders/cancelled", body: cancelled(order(1001, 7, "20.00")) });
    assert.equal(await shop.points("7"), 0);
  });

  it("what was spent already cannot be taken back", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.deliver({ topic: "orders/paid", body: order(1001, 7, "20.00") });
    const pass = await shop.pass("7");
    const path = `/api/${shop.tenantId}/passes/${pass?.id}/privileges/points/movements`;
    await api().post(path, { key: api().operatorKey, body: { value: -15 } });
    await shop.deliver({ topic: "orders/cancelled", body: cancelled(order(1001, 7, "20.00")) });
    assert.equal(await shop.points("7"), 0);
    const rows = await shop.deliveries();
    assert.equal(rows.at(-1)?.status, "done");
    assert.match(JSON.stringify(rows.at(-1)?.result), /spent/);
  });

  it("a refund takes the one that is left of a OneTime privilege, whatever its own minimum", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.deliver({ topic: "orders/paid", body: order(1001, 7, "3.00") });
    const pass = await shop.pass("7");
    const path = `/api/${shop.tenantId}/passes/${pass?.id}/privileges/points`;
    for (const body of [
      { type: "MultiUse", value: 1 },
      { type: "OneTime", minimum: -5 },
    ]) {
      const { status, text } = await api().put(path, { key: api().operatorKey, body });
      assert.equal(status, 200, text);
    }
    await shop.deliver({ topic: "refunds/create", body: refund(1, 1001, "3.00") });
    const last = (await shop.deliveries()).at(-1);
    assert.deepEqual([last?.status, last?.problem], ["done", null]);
    assert.equal(await shop.points("7"), 0);
  });

  it("refunds in parts take back what one of the whole would", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.deliver({ topic: "orders/paid", body: order(1001, 7, "10.00") });
    await shop.deliver({ topic: "refunds/create", body: refund(1, 1001, "9.50") });
    await shop.deliver({ topic: "refunds/create", body: refund(2, 1001, "0.50") });
    assert.equal(await shop.points("7"), 0);
  });

  it("a refund takes back at the rate by which was given, also if it is another one now", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.deliver({ topic: "orders/paid", body: order(1001, 7, "100.00") });
    await shop.put({ earn: { privilege: "points", perUnit: 2 } });
    await shop.deliver({ topic: "refunds/create", body: refund(1, 1001, "50.00") });
    assert.equal(await shop.points("7"), 50);
  });

  it("what was spent is not taken from another order later", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.deliver({ topic: "orders/paid", body: order(1001, 7, "20.00") });
    const pass = await shop.pass("7");
    const path = `/api/${shop.tenantId}/passes/${pass?.id}/privileges/points/movements`;
    await api().post(path, { key: api().operatorKey, body: { value: -20 } });
    await shop.deliver({ topic: "refunds/create", body: refund(1, 1001, "20.00") });
    assert.equal(await shop.points("7"), 0);
    await shop.deliver({ topic: "orders/paid", body: order(1002, 7, "30.00") });
    await shop.deliver({ topic: "orders/cancelled", body: cancelled(order(1001, 7, "20.00")) });
    assert.equal(await shop.points("7"), 30);
  });

  it("a refund counts in the money of the shop, and fails with a sentence in another", async () => {
    const shop = await openShop(api(), nextTenant(), { receipts: true });
    const back = (id: number, more: object) => ({
      ...refund(id, 1001, "0"),
      transactions: [{ kind: "refund", status: "success", ...more }],
    });
    const inShop = { amount: "5.00", currency_code: "EUR" };
    await shop.deliver({ topic: "orders/paid", body: order(1001, 7, "20.00") });
    const set = { amount: "800", currency: "JPY", amount_set: { shop_money: inShop } };
    await shop.deliver({ topic: "refunds/create", body: back(1, set) });
    assert.equal(await shop.points("7"), 15);
    const foreign = { amount: "800", currency: "JPY" };
    await shop.deliver({ topic: "refunds/create", body: back(2, foreign) });
    assert.equal(await shop.points("7"), 15);
    const failed = (await shop.deliveries()).at(-1);
    assert.equal(failed?.status, "failed");
    assert.match(String(failed?.problem), /JPY.*EUR/);
  });

  it("a refund before its order also waits where only receipts are kept", async () => {
    const shop = await openShop(api(), nextTenant(), { receipts: true, earn: undefined });
    await shop.deliver({ topic: "refunds/create", body: refund(1, 1001, "5.00") });
    assert.equal((await shop.deliveries())[0]?.status, "waiting");
    await shop.deliver({ topic: "orders/paid", body: order(1001, 7, "12.00") });
    await shop.hasten();
    const { body } = await api().get(`/api/${shop.tenantId}/receipts`, { key: api().operatorKey });
    assert.deepEqual(
      body.map(({ refunded }: { refunded: number }) => refunded),
      [5],
    );
  });

  it("the lines of a receipt add up: less discounts, and with the shipping", async () => {
    const shop = await openShop(api(), nextTenant(), { receipts: true });
    const more = {
      line_items: [
        {
          name: "Coffee",
          quantity: 2,
          price: "6.00",
          discount_allocations: [{ amount: "1.00" }, { amount: "0.50" }],
        },
        { name: "Tea", quantity: 1, price: "4.00", total_discount: "1.00" },
      ],
      shipping_lines: [{ title: "Boat", price: "5.00", discounted_price: "2.50" }],
    };
    await shop.deliver({ topic: "orders/paid", body: order(1001, 7, "16.00", more) });
    const key = api().operatorKey;
    const list = await api().get(`/api/${shop.tenantId}/receipts`, { key });
    const path = `/api/${shop.tenantId}/receipts/${list.body[0].receiptId}`;
    const { body } = await api().get(path, { key });
    assert.deepEqual(
      body.lines.map(({ description, total }: { description: string; total: number }) => [
        description,
        total,
      ]),
      [
        ["Coffee", 10.5],
        ["Tea", 3],
        ["Boat", 2.5],
      ],
    );
  });

  it("a refund that arrives before its order waits for it, and lets it go first", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.deliver({ topic: "refunds/create", body: refund(1, 1001, "5.00") });
    const [early] = await shop.deliveries();
    assert.deepEqual([early?.status, early?.yields], ["waiting", true]);
    await shop.deliver({ topic: "orders/paid", body: order(1001, 7, "20.00") });
    await shop.hasten();
    assert.equal(await shop.points("7"), 15);
    const rows = await shop.deliveries();
    assert.deepEqual(
      rows.map(({ status }) => status),
      ["done", "done"],
    );
  });

  it("a refund whose order never came is passed over after three days", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.deliver({ topic: "refunds/create", body: refund(1, 1001, "5.00") });
    await api().sql(
      "update inbound_delivery set received_at = now() - interval '4 days' where tenant_id = $1",
      [shop.tenantId],
    );
    await shop.hasten();
    const [early] = await shop.deliveries();
    assert.equal(early?.status, "waiting", "it was tried for a moment only, however old it is");
    await api().sql("update inbound_delivery set attempts = 30 where tenant_id = $1", [
      shop.tenantId,
    ]);
    await shop.hasten();
    const [row] = await shop.deliveries();
    assert.equal(row?.status, "ignored");
  });

  for (const topic of ["customers/redact", "customers/delete"]) {
    it(`${topic} erases the customer, the pass and what the inbox knows of them`, async () => {
      const shop = await openShop(api(), nextTenant());
      await shop.deliver({ body: customer(7, { email: "canary@example.com" }) });
      await shop.deliver({ topic: "orders/paid", body: order(1001, 7, "20.00") });
      const body =
        topic === "customers/delete"
          ? { id: 7 }
          : {
              shop_id: 1,
              shop_domain: "cafe-lune.myshopify.com",
              customer: { id: 7, email: "canary@example.com" },
              orders_to_redact: [1],
            };
      await shop.deliver({ topic, body });
      assert.equal(await shop.pass("7"), undefined);
      for (const table of ["customer", "inbound_delivery", "event", "audit", "pass"]) {
        const rows = await api().sql(
          `select x::text as row from ${table} as x where tenant_id = $1`,
          [shop.tenantId],
        );
        const found = rows.filter(({ row }) => /canary|c7@example|Lovelace/.test(String(row)));
        assert.deepEqual(found, [], table);
      }
      const bodies = (await shop.deliveries()).map(({ body: kept }) => kept);
      assert.deepEqual(bodies, [null, null, null]);
      // What happened before the erasure does not bring anybody back.
      await shop.deliver({ body: customer(7) });
      const early = {
        topic: "orders/paid",
        body: order(1002, 7, "5.00"),
        at: "2026-01-01T00:00:00Z",
      };
      await shop.deliver(early);
      assert.equal(await shop.pass("7"), undefined);
      const rows = await shop.deliveries();
      assert.deepEqual(
        rows.slice(3).map(({ status }) => status),
        ["ignored", "ignored"],
      );
    });
  }

  it("an app that was uninstalled is shown beside the connector until it is saved again", async () => {
    const shop = await openShop(api(), nextTenant());
    const shown = async () => {
      const path = `/api/${shop.tenantId}/admin/extensions`;
      const { body } = await api().get(path, { key: api().operatorKey });
      return body.find(({ name }: { name: string }) => name === "shopify");
    };
    await shop.deliver({ topic: "app/uninstalled", body: { id: 1 } });
    assert.match((await shown()).problem, /uninstalled/);
    await shop.put({});
    assert.equal((await shown()).problem, null);
  });

  it("what cannot be done fails with a sentence and an event, and holds up nobody", async () => {
    const shop = await openShop(api(), nextTenant(), {
      earn: { privilege: "nothing", perUnit: 1 },
    });
    await shop.deliver({ topic: "orders/paid", body: order(1001, 7, "20.00") });
    const [row] = await shop.deliveries();
    assert.deepEqual([row?.status, row?.attempts], ["failed", 1]);
    assert.match(String(row?.problem), /'nothing'/);
    assert.equal(await shop.pass("7"), undefined);
    const events = await api().sql(
      "select data from event where tenant_id = $1 and name = 'extension.delivery-failed'",
      [shop.tenantId],
    );
    assert.equal(events.length, 1);
    await shop.put({ earn: { privilege: "points", perUnit: 1 } });
    await api().post(`${shop.path}/inbox/${row?.id}/replay`, { key: api().operatorKey });
    await shop.settled();
    assert.equal(await shop.points("7"), 20);
  });

  it("a paid order becomes a receipt with a link on the pass, and refunds stand on it", async () => {
    const shop = await openShop(api(), nextTenant(), { receipts: true });
    await shop.deliver({ topic: "orders/paid", body: order(1001, 7, "12.00") });
    await shop.deliver({ topic: "refunds/create", body: refund(1, 1001, "5.00") });
    await shop.deliver({ topic: "refunds/create", body: refund(2, 1001, "50.00") });
    const list = await api().get(`/api/${shop.tenantId}/receipts`, { key: api().operatorKey });
    const [receipt, ...others] = list.body;
    assert.equal(others.length, 0);
    assert.deepEqual(
      [receipt.source, receipt.reference, receipt.total, receipt.refunded],
      ["shopify", "#1001", 12, 5],
    );
    const metadata = (await shop.pass("7"))?.metadata as { receipts?: { url: string } };
    const page = await api().get(new URL(metadata.receipts?.url ?? "").pathname);
    assert.equal(page.status, 200);
    assert.match(page.text, /Coffee/);
    assert.equal(await shop.points("7"), 0);
    assert.ok((await shop.deliveries()).every(({ status }) => status === "done"));
  });

  it("while it is switched off, deliveries wait, and are done afterwards", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.put({ enabled: false });
    await api().sql("select pg_sleep(1)");
    await api().sql(
      `insert into inbound_delivery (tenant_id, id, connector, dedupe_key, topic, subject, tells,
                                     occurred_at, received_at, headers, body, next_attempt_at)
       values ($1, 'inb_1', 'shopify', 'k', 'customers/update', 'customerId=9', 'state', now(), now(),
               '{}', $2, now())`,
      [shop.tenantId, Buffer.from(JSON.stringify(customer(9)))],
    );
    await api().sql("select pg_sleep(2.5)");
    assert.equal((await shop.deliveries())[0]?.status, "waiting");
    await shop.put({ enabled: true });
    await shop.settled();
    assert.notEqual(await shop.pass("9"), undefined);
  });
});
