import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";
import { openVendor } from "#test/support/vendor-stage.ts";
import type { Inbound } from "../kit/connector.ts";
import { square } from "./square.connector.ts";
import { moneyAt } from "./square.money.ts";

const KEY = "signature-key";
const signatureOf = (rawBody: string, url: string, key = KEY) =>
  createHmac("sha256", key)
    .update(url + rawBody)
    .digest("base64");

const SETUP = {
  connector: "square",
  identifier: "square.customerId",
  settings: {
    merchantId: "MLEFBHHSJGVHD",
    fields: { firstName: "given_name" },
    earn: { privilege: "points", perUnit: 1 },
    signatureKey: KEY,
  },
  sign: (rawBody: string, url: string) => ({
    "x-square-hmacsha256-signature": signatureOf(rawBody, url),
  }),
};

const event = (type: string, name: string, object: object, more: object = {}) => ({
  merchant_id: "MLEFBHHSJGVHD",
  type,
  event_id: randomUUID(),
  created_at: "2026-01-31T10:00:00Z",
  data: { type: name, object: { [name]: object } },
  ...more,
});

const customer = (id: string, more: object = {}) => ({
  id,
  given_name: "Ada",
  family_name: "Lovelace",
  email_address: "ada@example.com",
  updated_at: "2026-01-31T10:00:00Z",
  ...more,
});

const payment = (id: string, amount: number, more: object = {}) => ({
  id,
  status: "COMPLETED",
  customer_id: "C1",
  amount_money: { amount, currency: "EUR" },
  created_at: "2026-01-31T10:00:00Z",
  ...more,
});

const refund = (id: string, paymentId: string, amount: number, status = "COMPLETED") => ({
  id,
  payment_id: paymentId,
  status,
  amount_money: { amount, currency: "EUR" },
});

describe("the signature of Square", () => {
  const { verify } = square.inbound as Inbound;
  const URL_ = "https://webhook.site/webhooks";
  const BODY = '{"data":{"type":"webhooks","id":"fake_id"}}';
  const SIGNATURE = "W3FlCNk5IA3ZQ2LHTWoajvzfaDu/OwY2tNHIHC3IUOA=";
  const check = (rawBody: string, publicUrl: string, signature?: string, settings = {}) =>
    verify(
      {
        method: "POST",
        publicUrl,
        headers: signature === undefined ? {} : { "x-square-hmacsha256-signature": signature },
        rawBody: Buffer.from(rawBody),
        now: new Date(),
      },
      { settings, secrets: { signatureKey: [KEY] } },
    ).ok;

  it("is the one that Square publishes", () => {
    assert.equal(check(BODY, URL_, SIGNATURE), true);
  });

  it("is of the address that stands at Square, if it is another one", () => {
    const settings = { notificationUrl: URL_ };
    assert.equal(check(BODY, "https://passes.example/x", SIGNATURE, settings), true);
  });

  it("is refused with another body, address, key or none", () => {
    const indented = JSON.stringify(JSON.parse(BODY), null, 2);
    assert.equal(check(indented, URL_, SIGNATURE), false);
    assert.equal(check(`${BODY} `, URL_, SIGNATURE), false);
    assert.equal(check(BODY, `${URL_}/`, SIGNATURE), false);
    assert.equal(check(BODY, URL_, signatureOf(BODY, URL_, "other")), false);
    assert.equal(check(BODY, URL_), false);
    assert.equal(check(BODY, URL_, ""), false);
  });
});

describe("money of Square", () => {
  it("is read by the smallest unit of its currency, without losing a digit", () => {
    const of = (amount: number | string, currency: string) =>
      moneyAt({ money: { amount, currency } }, "money")?.amount;
    assert.deepEqual(
      [of(1290, "EUR"), of(5, "USD"), of(500, "JPY"), of(1234, "KWD")],
      ["12.9", "0.05", "500", "1.234"],
    );
    assert.deepEqual(
      [of(-1, "EUR"), of("1.5", "EUR"), of(1, "euro")],
      [undefined, undefined, undefined],
    );
  });
});

describe("what Square sends", () => {
  const api = shareApi();

  it("customers get a pass, completed payments count once, refunds take back", async () => {
    const vendor = await openVendor(api(), "square-a", SETUP);
    await vendor.deliver(event("customer.created", "customer", customer("C1")));
    assert.deepEqual(await vendor.pass("C1"), { data: { firstName: "Ada" }, points: 0 });
    const pending = payment("P1", 1290, { status: "APPROVED" });
    await vendor.deliver(event("payment.created", "payment", pending));
    assert.equal((await vendor.pass("C1"))?.points, 0);
    for (let count = 0; count < 3; count += 1) {
      await vendor.deliver(event("payment.updated", "payment", payment("P1", 1290)));
    }
    assert.equal((await vendor.pass("C1"))?.points, 12);
    await vendor.deliver(event("refund.created", "refund", refund("R1", "P1", 500, "PENDING")));
    assert.equal((await vendor.pass("C1"))?.points, 12);
    await vendor.deliver(event("refund.updated", "refund", refund("R1", "P1", 500)));
    await vendor.deliver(event("refund.updated", "refund", refund("R1", "P1", 500)));
    assert.equal((await vendor.pass("C1"))?.points, 7);
  });

  it("a refund before its payment waits for it; an old change of a customer is passed over", async () => {
    const vendor = await openVendor(api(), "square-b", SETUP);
    await vendor.deliver(event("refund.updated", "refund", refund("R1", "P1", 500)));
    await vendor.deliver(event("payment.updated", "payment", payment("P1", 2000)));
    await vendor.hasten();
    assert.equal((await vendor.pass("C1"))?.points, 15);
    const grace = { given_name: "Grace", updated_at: "2026-02-02T00:00:00Z" };
    await vendor.deliver(event("customer.updated", "customer", customer("C1", grace)));
    await vendor.deliver(event("customer.updated", "customer", customer("C1")));
    assert.deepEqual((await vendor.pass("C1"))?.data, { firstName: "Grace" });
    const later = { created_at: "2026-02-03T00:00:00Z" };
    await vendor.deliver(event("customer.deleted", "customer", { id: "C1" }, later));
    assert.equal(await vendor.pass("C1"), undefined);
  });

  it("200: stored, twice, of no interest or not to be understood; 401: not signed", async () => {
    const vendor = await openVendor(api(), "square-c", SETUP);
    const first = event("customer.created", "customer", customer("C1"));
    const answers = [
      await vendor.send(first),
      await vendor.send(first),
      await vendor.send(event("invoice.created", "invoice", {})),
      await vendor.send("no json"),
      await vendor.send(event("payment.updated", "payment", {}, { merchant_id: "SOMEBODY" })),
      await vendor.send(first, { "x-square-hmacsha256-signature": "AAAA" }),
      await vendor.send(first, {}),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200, 401, 401],
    );
    assert.equal("signatureKey" in vendor.shown, false);
  });

  it("200: events of another seller are acknowledged and not kept", async () => {
    const vendor = await openVendor(api(), "square-e", SETUP);
    const other = { merchant_id: "SOMEBODY" };
    const sent = event("payment.updated", "payment", payment("P1", 1290), other);
    assert.equal((await vendor.send(sent)).status, 200);
    assert.deepEqual(await vendor.deliveries(), []);
  });

  it("204, 200, 404: settings are saved, shown without the secret and removed (square.put, square.get, square.delete)", async () => {
    const { path, shown } = await openVendor(api(), "square-d", SETUP);
    assert.deepEqual(["signatureKey" in shown, shown.passType], [false, "member"]);
    const key = api().operatorKey;
    assert.equal((await api().delete(path, { key })).status, 204);
    assert.equal((await api().get(path, { key })).status, 404);
  });
});
