import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { startVendors } from "#test/support/vendors.ts";
import { startReceiver, until } from "#test/support/webhook-receiver.ts";
import { Vendors } from "../vendors.service.ts";
import type { DeliveryFault } from "./delivery.ts";

const DOMAIN = "harbour.myshopify.com";

type Owner = { after(undo: () => Promise<void>): void };

async function openShop(owner: Owner, fault?: DeliveryFault) {
  const [receiver, vendors] = await Promise.all([startReceiver(owner), startVendors(owner)]);
  const { shopify } = vendors;
  shopify.createShop({ domain: DOMAIN, clientSecret: "hush", url: receiver.url });
  shopify.outbox.setFault(fault);
  const deliver = (name: string) => shopify.deliver(DOMAIN, "test", JSON.stringify({ name }))[0];
  const names = () => receiver.received.map(({ body }) => body.name);
  return { receiver, vendors, shopify, deliver, names };
}

describe("deliveries of a vendor", () => {
  it("are signed wrongly as often as wanted, and rightly afterwards", async (t) => {
    const { receiver, vendors, deliver } = await openShop(t, { kind: "wrong-signature", times: 1 });
    deliver("one");
    deliver("two");
    await vendors.idle();
    const isRight = receiver.received.map(({ raw, headers }) => {
      const expected = createHmac("sha256", "hush").update(raw).digest("base64");
      return headers["x-shopify-hmac-sha256"] === expected;
    });
    assert.deepEqual(isRight, [false, true]);
  });

  it("come without a signature", async (t) => {
    const { receiver, vendors, deliver } = await openShop(t, { kind: "no-signature" });
    deliver("one");
    await vendors.idle();
    assert.equal(receiver.received[0]?.headers["x-shopify-hmac-sha256"], undefined);
  });

  it("come twice with the same id", async (t) => {
    const { receiver, vendors, deliver } = await openShop(t, { kind: "duplicate", times: 1 });
    deliver("one");
    deliver("two");
    await vendors.idle();
    const ids = receiver.received.map(({ headers }) => headers["x-shopify-webhook-id"]);
    assert.equal(ids.length, 3);
    assert.equal(ids[0], ids[1]);
  });

  it("come again on demand, with the same bytes", async (t) => {
    const { receiver, vendors, shopify, deliver } = await openShop(t);
    const made = deliver("one");
    await vendors.idle();
    shopify.outbox.again(made?.id ?? "");
    await vendors.idle();
    assert.deepEqual(receiver.received[0]?.raw, receiver.received[1]?.raw);
  });

  it("overtake each other", async (t) => {
    const { vendors, deliver, names } = await openShop(t, { kind: "reorder", times: 3 });
    for (const name of ["one", "two", "three", "four"]) deliver(name);
    await vendors.idle();
    assert.deepEqual(names(), ["three", "two", "one", "four"]);
  });

  it("end in the middle of the body, and come whole by the retry", async (t) => {
    const { vendors, shopify } = await openShop(t, { kind: "cut", times: 1 });
    const ended: boolean[] = [];
    const server = createServer((request, response) => {
      request.resume().once("close", () => ended.push(request.complete));
      request.once("end", () => response.end());
      request.on("error", () => undefined);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const domain = "quay.myshopify.com";
    const url = `http://127.0.0.1:${port}/`;
    shopify.createShop({ domain, clientSecret: "hush", url });
    const [delivery] = shopify.deliver(domain, "test", '{"name":"one"}');
    await vendors.idle();
    assert.equal(delivery?.attempts[0]?.failure, "cut");
    await vendors.advance(60_000);
    assert.equal(delivery.state, "delivered");
    await until(() => ended.length === 2);
    assert.deepEqual(ended.sort(), [false, true]);
  });

  it("follow no redirect, and take it for a failure", async (t) => {
    const { receiver, vendors, shopify, deliver } = await openShop(t);
    receiver.answer({ status: 302, headers: { location: receiver.url } });
    deliver("one");
    await vendors.idle();
    assert.equal(receiver.received.length, 1);
    assert.equal(shopify.outbox.deliveries[0]?.attempts[0]?.status, 302);
    assert.equal(shopify.outbox.deliveries[0]?.state, "waiting");
  });

  it("note how fast an endpoint answered, and what", async (t) => {
    const { receiver, vendors, shopify, deliver } = await openShop(t);
    receiver.answer({ status: 200, body: "thanks" });
    const startedAt = performance.now();
    deliver("one");
    await vendors.idle();
    const elapsedMs = performance.now() - startedAt;
    const [attempt] = shopify.outbox.deliveries[0]?.attempts ?? [];
    assert.equal(attempt?.answer, "thanks");
    assert.ok(attempt !== undefined && attempt.durationMs <= Math.ceil(elapsedMs));
  });

  it("that wait are sent after a restart of the vendor", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "vendors-"));
    const receiver = await startReceiver(t);
    const open = () => Vendors.open({ folder, ticks: false, resolve: (url) => url });
    const before = await open();
    before.shopify.createShop({ domain: DOMAIN, clientSecret: "hush", url: receiver.url });
    receiver.answer(503);
    before.shopify.createCustomer({ email: "ada@example.com" });
    await before.idle();
    await before.close();

    receiver.answer(200);
    const after = await open();
    t.after(async () => {
      await after.close();
      await rm(folder, { recursive: true });
    });
    await after.advance(60_000);
    assert.equal(receiver.received.length, 2);
    assert.equal(after.shopify.outbox.deliveries[0]?.state, "delivered");
    assert.equal(after.shopify.customers.all[0]?.email, "ada@example.com");
  });
});
