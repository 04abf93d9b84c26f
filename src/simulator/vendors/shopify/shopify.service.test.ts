import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, it } from "node:test";
import { startVendors } from "#test/support/vendors.ts";
import { startReceiver } from "#test/support/webhook-receiver.ts";
import { signShopify } from "./shopify.signature.ts";

const DOMAIN = "harbour.myshopify.com";
const HOUR_MS = 3_600_000;

type Owner = { after(undo: () => Promise<void>): void };

async function openShop(owner: Owner) {
  const [receiver, vendors] = await Promise.all([startReceiver(owner), startVendors(owner)]);
  const { shopify } = vendors;
  shopify.createShop({ domain: DOMAIN, clientSecret: "hush", url: receiver.url });
  return { receiver, vendors, shopify };
}

describe("Shopify's side", () => {
  it("signs as the formula that Shopify publishes says, with numbers above 2^53", () => {
    const body = '{"id":706405506930370084,"email":"bob@example.com"}';
    assert.equal(signShopify("hush", body), "RByDrW2A2MKACcPWBthTcXThdciDM2OrGqNlxw69p+Y=");
  });

  it("tells of customers, orders and refunds in order, signed over the bytes that it sends", async (t) => {
    const { receiver, vendors, shopify } = await openShop(t);
    const customer = shopify.createCustomer({ email: "ada@example.com", first_name: "Ada" });
    shopify.updateCustomer(customer.id, { last_name: "Lovelace" });
    const order = shopify.createOrder({
      customer: customer.id,
      lines: [{ title: "Chart", price: "12.5", quantity: 2 }],
    });
    shopify.refundOrder(order.id, { amount: "5" });
    shopify.cancelOrder(order.id);
    shopify.askPrivacy(customer.id, "customers/redact");
    await vendors.idle();

    const topics = receiver.received.map(({ headers }) => headers["x-shopify-topic"]);
    assert.deepEqual(topics, [
      "customers/create",
      "customers/update",
      "orders/create",
      "orders/paid",
      "refunds/create",
      "orders/cancelled",
      "customers/redact",
    ]);
    for (const { headers, raw } of receiver.received) {
      const expected = createHmac("sha256", "hush").update(raw).digest("base64");
      assert.equal(headers["x-shopify-hmac-sha256"], expected);
      assert.equal(headers["x-shopify-shop-domain"], DOMAIN);
      assert.match(headers["x-shopify-webhook-id"] ?? "", /^[0-9a-f-]{36}$/);
    }
    const [, , , paid, refund] = receiver.received.map(({ body }) => body);
    assert.equal(paid?.total_price, "25.00");
    assert.equal(paid?.financial_status, "paid");
    assert.ok(JSON.stringify(paid?.customer).includes(String(customer.id)));
    assert.equal(refund?.order_id, order.id);
    assert.match(JSON.stringify(refund?.transactions), /"amount":"5.00"/);
    assert.ok(shopify.outbox.deliveries.every(({ state }) => state === "delivered"));
    assert.ok(shopify.outbox.deliveries.every(({ attempts }) => attempts[0]?.status === 200));
  });

  it("tries eight times again within four hours, and then deletes the subscription", async (t) => {
    const { receiver, vendors, shopify } = await openShop(t);
    receiver.answer(500);
    shopify.createCustomer({ email: "ada@example.com" });
    await vendors.idle();
    assert.equal(receiver.received.length, 1);
    await vendors.advance(4 * HOUR_MS);
    assert.equal(receiver.received.length, 9);
    const ids = receiver.received.map(({ headers }) => headers["x-shopify-webhook-id"]);
    assert.equal(new Set(ids).size, 1);
    const [subscription] = shopify.outbox.subscriptions;
    assert.equal(subscription?.endedBecause, "9 failures in a row");

    receiver.answer(200);
    shopify.createCustomer({ email: "bob@example.com" });
    await vendors.advance(4 * HOUR_MS);
    assert.equal(receiver.received.length, 9);
  });

  it("keeps a subscription that answers in between, and delivers the rest later", async (t) => {
    const { receiver, vendors, shopify } = await openShop(t);
    receiver.answer(503);
    shopify.createCustomer({ email: "ada@example.com" });
    await vendors.advance(HOUR_MS / 2);
    receiver.answer(200);
    await vendors.advance(HOUR_MS);
    assert.equal(shopify.outbox.deliveries[0]?.state, "delivered");
    assert.equal(shopify.outbox.subscriptions[0]?.endedAt, null);
  });

  it("takes an endpoint that is too slow for one that failed", async (t) => {
    const { receiver, vendors, shopify } = await openShop(t);
    shopify.outbox.deadlineMs = 50;
    receiver.answer("hang");
    shopify.createCustomer({ email: "ada@example.com" });
    await vendors.idle();
    const [attempt] = shopify.outbox.deliveries[0]?.attempts ?? [];
    assert.equal(attempt?.failure, "timeout");
    assert.ok((attempt?.durationMs ?? 0) >= 45);
  });
});
