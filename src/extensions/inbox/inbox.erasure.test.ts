import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { customer, openShop, order, type Shop } from "#test/support/shop-stage.ts";
import { shareApi } from "#test/support/start-api.ts";

let count = 0;
const nextTenant = () => {
  count += 1;
  return `forgets-${count}`;
};

describe("an inbox after an erasure", () => {
  const api = shareApi();

  const eraseCustomer = async ({ tenantId }: Shop) => {
    const [row] = await api().sql("select id from customer where tenant_id = $1", [tenantId]);
    const path = `/api/${tenantId}/customers/${row?.id}`;
    const { status, text } = await api().delete(path, { key: api().operatorKey });
    assert.ok(status < 300, text);
  };
  const customers = ({ tenantId }: Shop) =>
    api().sql("select id from customer where tenant_id = $1", [tenantId]);

  it("what waits about a customer who was erased without their passes does not bring them back", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.deliver({ body: customer(7) });
    await shop.put({ enabled: false });
    await api().sql(
      `insert into inbound_delivery (tenant_id, id, connector, dedupe_key, topic, subject, tells,
                                     occurred_at, received_at, headers, body, next_attempt_at)
       values ($1, 'inb_z', 'shopify', 'k', 'customers/update', 'customerId=7', 'state', now(),
               now(), '{}', $2, now())`,
      [shop.tenantId, Buffer.from(JSON.stringify(customer(7)))],
    );
    await eraseCustomer(shop);
    await shop.put({ enabled: true });
    const rows = await shop.settled();
    assert.deepEqual(await customers(shop), []);
    assert.deepEqual(
      rows.map(({ status, body }) => [status, body]),
      [
        ["done", null],
        ["ignored", null],
      ],
    );
    await shop.deliver({ body: customer(7, { updated_at: new Date().toISOString() }) });
    assert.equal((await customers(shop)).length, 1, "what happens later counts");
  });

  it("what arrives late about an erased person is passed over, and its content is not kept", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.deliver({ body: customer(7) });
    await eraseCustomer(shop);
    await shop.deliver({ body: customer(7) });
    const at = "2026-01-01T00:00:00Z";
    await shop.deliver({ topic: "orders/paid", body: order(1001, 7, "5.00"), at });
    const [, ...late] = await shop.deliveries();
    for (const { status, body, headers, problem } of late) {
      assert.deepEqual([status, body, headers], ["ignored", null, {}]);
      assert.match(String(problem), /older than the erasure/);
    }
  });

  it("orders that failed and deliveries that nobody could read are found by their customer", async () => {
    const shop = await openShop(api(), nextTenant(), {
      earn: { privilege: "nothing", perUnit: 1 },
    });
    await shop.deliver({ body: customer(7) });
    await shop.deliver({ topic: "orders/paid", body: order(1001, 7, "20.00") });
    await shop.deliver({ topic: "orders/paid", body: { customer: customer(7) } });
    await shop.deliver({ topic: "orders/paid", body: { customer: customer(8) } });
    await eraseCustomer(shop);
    const rows = await shop.deliveries();
    assert.deepEqual(
      rows.map(({ status, body }) => [status, body !== null]),
      [
        ["done", false],
        ["failed", false],
        ["failed", false],
        ["failed", true],
      ],
    );
  });

  it("a request to erase somebody is followed, also if it is older than the last change", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.deliver({ body: customer(7) });
    const body = { shop_id: 1, shop_domain: "cafe-lune.myshopify.com", customer: { id: 7 } };
    await shop.deliver({ topic: "customers/redact", body, at: "2026-01-30T00:00:00Z" });
    assert.equal(await shop.pass("7"), undefined);
    assert.deepEqual(await customers(shop), []);
    // Neither does the change come back that was known before.
    await shop.deliver({ body: customer(7) });
    assert.deepEqual(await customers(shop), []);
    const statuses = (await shop.deliveries()).map(({ status }) => status);
    assert.deepEqual(statuses, ["done", "done", "ignored"]);
  });

  it("200: who has seen a delivery before its erasure sees it again (inbox.get)", async () => {
    const shop = await openShop(api(), nextTenant());
    await shop.deliver({ body: customer(7) });
    const [row] = await shop.deliveries();
    const path = `${shop.path}/inbox/${row?.id}`;
    const key = api().operatorKey;
    const etag = (await api().get(path, { key })).headers.get("etag") ?? "";
    const headers = { "if-none-match": etag };
    assert.equal((await api().get(path, { key, headers })).status, 304);
    await eraseCustomer(shop);
    const { status, body } = await api().get(path, { key, headers });
    assert.deepEqual([status, body.body], [200, null]);
  });
});
