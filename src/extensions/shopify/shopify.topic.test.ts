import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cancelled, customer, openShop, order, refund } from "#test/support/shop-stage.ts";
import { shareApi } from "#test/support/start-api.ts";

const SHOP = "cafe-lune.myshopify.com";
const about = { shop_id: 1, shop_domain: SHOP, customer: { id: 7, email: "c7@example.com" } };
const dataRequest = { ...about, orders_requested: [1001], data_request: { id: 9 } };

describe("the topic and the shop of what Shopify sends, which it does not sign", () => {
  const api = shareApi();

  it("200: signed bytes of another topic erase nobody and take nothing back", async () => {
    const shop = await openShop(api(), "topics");
    const paid = order(1001, 7, "20.00", { financial_status: "paid" });
    await shop.deliver({ topic: "orders/paid", body: paid });
    const before = await shop.pass("7");
    const cases = [
      ["customers/redact", paid],
      ["customers/redact", dataRequest],
      ["customers/redact", customer(7)],
      ["customers/redact", { ...about, shop_domain: "other.myshopify.com" }],
      ["customers/delete", customer(7)],
      ["customers/delete", { id: 7, admin_graphql_api_id: "gid://shopify/Order/7" }],
      ["customers/delete", refund(7, 1001, "1.00")],
      ["customers/update", order(7, 8, "1.00")],
      ["customers/data_request", { ...about, orders_to_redact: [1001] }],
      ["orders/cancelled", { ...paid, cancelled_at: null }],
      ["orders/paid", order(1002, 7, "50.00", { financial_status: "pending" })],
      ["refunds/create", { ...paid, order_id: 1001 }],
      ["shop/redact", about],
      ["app/uninstalled", paid],
      ["app/uninstalled", customer(7)],
    ] as const;
    for (const [at, [topic, body]] of cases.entries()) {
      // The same bytes are kept once, whatever their topic is said to be.
      const text = `${JSON.stringify(body)}${" ".repeat(at)}`;
      const { status } = await shop.deliver({ topic, body: text });
      assert.equal(status, 200, topic);
    }
    const [first, ...others] = await shop.deliveries();
    assert.equal(first?.status, "done");
    assert.deepEqual(
      others.map(({ status, topic }) => [status, topic]),
      cases.map(() => ["failed", "unreadable"]),
    );
    for (const { problem } of others) {
      assert.match(String(problem), /^Its body is (not what Shopify sends for|about another shop)/);
    }
    assert.equal((await shop.pass("7"))?.id, before?.id);
    assert.equal(await shop.points("7"), 20);
    const { body: gallery } = await api().get("/api/topics/admin/extensions", {
      key: api().operatorKey,
    });
    const { problem } = gallery.find(({ name }: { name: string }) => name === "shopify");
    assert.doesNotMatch(String(problem), /uninstalled|asks/);
  });

  it("200: whole bodies of their own topic are done", async () => {
    const shop = await openShop(api(), "whole");
    const gid = (kind: string, id: number) => ({
      admin_graphql_api_id: `gid://shopify/${kind}/${id}`,
    });
    const times = { created_at: "2026-01-30T09:30:00Z", state: "enabled" };
    const sold = order(1001, 7, "20.00", { ...gid("Order", 1001), financial_status: "paid" });
    const deleted = { id: 7, phone: null, addresses: [], tax_exemptions: [] };
    const sent = [
      ["customers/create", customer(7, { ...times, ...gid("Customer", 7) })],
      ["orders/paid", { ...sold, cancelled_at: null }],
      ["refunds/create", { ...refund(1, 1001, "5.00"), ...gid("Refund", 1) }],
      ["orders/cancelled", { ...cancelled(sold), financial_status: "refunded" }],
      ["customers/data_request", dataRequest],
      ["customers/delete", { ...deleted, ...gid("Customer", 7) }],
      ["customers/redact", { ...about, orders_to_redact: [] }],
      ["shop/redact", { shop_id: 1, shop_domain: SHOP }],
      ["app/uninstalled", { id: 1, email: "owner@example.com", myshopify_domain: SHOP }],
    ] as const;
    for (const [topic, body] of sent) await shop.deliver({ topic, body });
    assert.deepEqual(
      (await shop.deliveries()).map(({ topic, status }) => [topic, status]),
      sent.map(([topic]) => [topic, "done"]),
    );
    assert.equal(await shop.pass("7"), undefined);
  });
});
