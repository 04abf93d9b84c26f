import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { startVendors } from "#test/support/vendors.ts";
import { startReceiver } from "#test/support/webhook-receiver.ts";
import { signCustomerio } from "../customerio/customerio.service.ts";
import { signLoyaltylion } from "../loyaltylion/loyaltylion.service.ts";
import { signSfmc } from "../sfmc/sfmc.service.ts";
import { signSquare } from "../square/square.service.ts";
import { signTito } from "../tito/tito.service.ts";

const B = '{"id":706405506930370084,"email":"bob@example.com"}';

describe("signatures of vendors", () => {
  it("are those that were published, or computed from the published formulas", () => {
    assert.equal(
      signSquare(
        "signature-key",
        "https://webhook.site/webhooks",
        '{"data":{"type":"webhooks","id":"fake_id"}}',
      ),
      "W3FlCNk5IA3ZQ2LHTWoajvzfaDu/OwY2tNHIHC3IUOA=",
    );
    assert.equal(
      signCustomerio("topsecret", 1_700_000_000, B),
      "5ba7d93071838ee918639b63106a1092cfea8ad7eeee4745663e66ebb287d2e1",
    );
    const shared = "oCX3oTCaxtS065G+qQKZ/8qjWkZxBf40JuZrEauP0N0=";
    assert.equal(signLoyaltylion("site-secret", B), shared);
    assert.equal(signTito("site-secret", B), shared);
    const claims = {
      inArguments: [{ contactKey: "C-1" }],
      keyValue: "C-1",
      activityInstanceId: "a1",
    };
    const [, , signature] = signSfmc("jwt-signing-secret", claims).split(".");
    assert.equal(signature, "h2MyU0V1ASRU9ApenQ2LTbeLPIFNQxgQWZ0h0qa0Pf8");
  });
});

describe("vendors that sign what they send", () => {
  it("Customer.io holds later calls back until the one at hand got through", async (t) => {
    const [receiver, vendors] = await Promise.all([startReceiver(t), startVendors(t)]);
    const { customerio } = vendors;
    customerio.createWorkspace({ id: "w", signingKey: "key", url: receiver.url });
    receiver.answer(500);
    for (const name of ["one", "two"]) customerio.deliver("w", "action", JSON.stringify({ name }));
    await vendors.idle();
    assert.equal(receiver.received.length, 1);
    receiver.answer(200);
    await vendors.advance(60_000);
    assert.deepEqual(
      receiver.received.map(({ body }) => body.name),
      ["one", "one", "two"],
    );
    for (const { headers, raw } of receiver.received) {
      const signed = `v0:${headers["x-cio-timestamp"]}:${raw.toString()}`;
      const expected = createHmac("sha256", "key").update(signed).digest("hex");
      assert.equal(headers["x-cio-signature"], expected);
    }
  });

  it("Square binds the signature to the address, and refunds no more than was paid", async (t) => {
    const [receiver, vendors] = await Promise.all([startReceiver(t), startVendors(t)]);
    const { square } = vendors;
    square.createMerchant({ id: "M1", signatureKey: "key", url: receiver.url });
    const customer = square.createCustomer({ given_name: "Ada" });
    const payment = square.pay({ customer: customer.id, amount: 1_250 });
    square.refund(payment.id, { amount: 250 });
    assert.throws(() => square.refund(payment.id, { amount: 1_001 }), /At most 1000/);
    await vendors.idle();
    assert.deepEqual(
      receiver.received.map(({ body }) => body.type),
      ["customer.created", "payment.created", "payment.updated", "refund.created"],
    );
    for (const { headers, raw } of receiver.received) {
      const bytes = Buffer.concat([Buffer.from(receiver.url), raw]);
      const expected = createHmac("sha256", "key").update(bytes).digest("base64");
      assert.equal(headers["x-square-hmacsha256-signature"], expected);
    }
  });

  it("Tito names the event in a header, LoyaltyLion in the body", async (t) => {
    const [receiver, vendors] = await Promise.all([startReceiver(t), startVendors(t)]);
    const { tito, loyaltylion } = vendors;
    tito.createEvent({ slug: "regatta", securityToken: "key", url: receiver.url });
    const { slug } = tito.createTicket({ first_name: "Ada" });
    tito.checkIn(slug);
    tito.voidTicket(slug);
    await vendors.idle();
    assert.deepEqual(
      receiver.received.map(({ headers }) => headers["x-webhook-name"]),
      ["ticket.created", "ticket.completed", "checkin.created", "ticket.voided"],
    );
    loyaltylion.createSite({ id: "s", secret: "key", url: receiver.url });
    loyaltylion.putCustomer({ merchant_id: "5000001", points_approved: 500, tier: "Gold" });
    await vendors.idle();
    const last = receiver.received.at(-1);
    assert.equal(last?.body.topic, "customers/update");
    assert.match(String(last?.raw), /"points_approved":500/);
    assert.match(String(last?.raw), /"loyalty_tier":\{"name":"Gold"\}/);
  });

  it("Tito keeps the state of its tickets, and refuses what does not fit it", async (t) => {
    const [receiver, vendors] = await Promise.all([startReceiver(t), startVendors(t)]);
    const { tito } = vendors;
    tito.createEvent({ slug: "regatta", securityToken: "key", url: receiver.url });
    const { slug } = tito.createTicket({ first_name: "Ada", complete: false });
    assert.equal(tito.completeTicket(slug).state, "complete");
    assert.throws(() => tito.completeTicket(slug), /complete/);
    assert.throws(() => tito.undoCheckIn(slug), /not checked in/);
    tito.checkIn(slug);
    assert.throws(() => tito.checkIn(slug), /already/);
    tito.undoCheckIn(slug);
    tito.voidTicket(slug);
    assert.throws(() => tito.voidTicket(slug), /void/);
    assert.throws(() => tito.checkIn(slug), /void/);
    tito.unvoidTicket(slug);
    await vendors.idle();
    assert.deepEqual(
      receiver.received.map(({ headers, body }) => [headers["x-webhook-name"], body.state_name]),
      [
        ["ticket.created", "incomplete"],
        ["ticket.completed", "complete"],
        ["checkin.created", undefined],
        ["checkin.deleted", undefined],
        ["ticket.voided", "void"],
        ["ticket.unvoided", "complete"],
      ],
    );
    const [created, deleted] = receiver.received.slice(2).map(({ body }) => body);
    assert.equal(created?.id, deleted?.id);
    assert.ok(String(deleted?.deleted_at) > String(created?.created_at));
  });

  it("Marketing Cloud publishes only what is answered by 200, and ejects who is refused", async (t) => {
    const { sfmc } = await startVendors(t);
    const taken: string[] = [];
    const statuses = [400, 200, 200, 200, 500];
    const server = createServer((request, response) => {
      const { port } = server.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}/call`;
      const config = {
        arguments: { execute: { url, timeout: 5_000, inArguments: [{ tier: "gold" }] } },
        configurationArguments: { save: { url }, publish: { url } },
      };
      if (request.method === "GET") return void response.end(JSON.stringify(config));
      taken.push(String(request.headers["content-type"]));
      request.resume();
      response.writeHead(statuses.shift() ?? 200).end('{"passId":"p1"}');
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const configUrl = `http://127.0.0.1:${port}/config.json`;
    const { id } = await sfmc.createActivity({ configUrl, jwtSecret: "key" });
    assert.equal((await sfmc.publish(id)).isPublished, false);
    await assert.rejects(sfmc.enter(id, { contactKey: "C-1" }), /not running/);
    assert.equal((await sfmc.publish(id)).isPublished, true);
    await sfmc.enter(id, { contactKey: "C-1" });
    await sfmc.enter(id, { contactKey: "C-2" });
    assert.deepEqual(sfmc.activities.get(id).contacts, { "C-1": { passId: "p1" }, "C-2": null });
    assert.deepEqual([...new Set(taken)], ["application/jwt"]);
  });
});
