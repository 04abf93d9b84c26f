import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openPhoneJourney, PUBLIC_URL } from "#test/support/phone-journey.ts";
import { shareApi } from "#test/support/start-api.ts";
import { startVendors } from "#test/support/vendors.ts";

const reached: Record<string, string> = {};
const vendors = await startVendors({ after }, { inPlaceOf: reached });
const { shopify, square, loyaltylion, bloomreach } = vendors;
const EARNING = { passType: "member", earn: { privilege: "points", perUnit: 1 } };

describe("what happens at a vendor", () => {
  const api = shareApi({ env: { BASE_URL: PUBLIC_URL } });
  before(() => {
    reached[PUBLIC_URL] = api().url;
  });

  it("Shopify: orders in any order and twice, refunds, a cancellation and an erasure are seen on both phones", async () => {
    const journey = await openPhoneJourney(api(), "shopfront", "shopify.customerId");
    const domain = "harbour.myshopify.com";
    const settings = { shop: domain, fields: { firstName: "first_name" }, ...EARNING };
    const url = await journey.connect("shopify", { ...settings, clientSecret: "hush" });
    shopify.createShop({ domain, clientSecret: "hush", url });
    const { id } = shopify.createCustomer({ first_name: "Ottoline", email: "o@harbour.example" });
    await vendors.idle();
    const iphone = await journey.hold("iphone", String(id));
    const android = await journey.hold("android", String(id));
    const showBoth = async (...texts: string[]) => {
      for (const phone of [iphone, android]) await phone.shows(...texts);
    };
    await showBoth("Ottoline", "0 points");

    // The refund comes first, then the payment, then the order itself.
    shopify.outbox.setFault({ kind: "reorder", times: 3 });
    const first = shopify.createOrder({ customer: id, lines: [{ title: "Rope", price: "20.00" }] });
    shopify.refundOrder(first.id, { amount: "5.00" });
    await vendors.idle();
    await showBoth("15 points");

    shopify.outbox.setFault({ kind: "duplicate" });
    const second = shopify.createOrder({
      customer: id,
      lines: [{ title: "Sail", price: "30.00" }],
    });
    shopify.updateCustomer(id, { first_name: "Tilly" });
    await vendors.idle();
    await showBoth("45 points", "Tilly");
    shopify.cancelOrder(second.id);
    await vendors.idle();
    await showBoth("15 points");
    assert.deepEqual(await journey.movements(iphone.passId), [20, -5, 30, -30]);

    shopify.askPrivacy(id, "customers/redact");
    await vendors.idle();
    await journey.waitFor("the pass is gone", async () => {
      const { status } = await api().get(journey.path(`passes/${iphone.passId}`), {
        key: journey.key,
      });
      return status === 404;
    });
    // Sent once more, an old update brings nobody back.
    const old = shopify.outbox.deliveries.find(({ topic }) => topic === "customers/update");
    shopify.outbox.again(old?.id ?? "");
    await vendors.idle();
    await journey.waitFor("Google has forgotten the name", async () => {
      return !JSON.stringify((await android.look()).cards).includes("Tilly");
    });
    assert.match((await iphone.remove()) ?? "", /401|404/);
    assert.equal(await journey.passIdOf(String(id)), undefined);
    for (const word of ["Ottoline", "Tilly", "o@harbour.example"]) {
      assert.deepEqual(await journey.traces(word), [], word);
    }
    assert.ok(shopify.outbox.deliveries.every(({ state }) => state === "delivered"));
  });

  it("Square: payments and refunds in any order and twice, and a deleted customer", async () => {
    const journey = await openPhoneJourney(api(), "till", "square.customerId");
    const settings = { merchantId: "MLEFBHHSJGVHD", fields: { firstName: "given_name" } };
    const secret = { signatureKey: "a-signature-key" };
    const url = await journey.connect("square", { ...settings, ...EARNING, ...secret });
    square.createMerchant({ id: settings.merchantId, url, ...secret });
    const { id } = square.createCustomer({ given_name: "Ignatius" });
    await vendors.idle();
    const phone = await journey.hold("iphone", id);
    await phone.shows("Ignatius", "0 points");

    // The refund comes before the payment is completed, and both before it is made.
    square.outbox.setFault({ kind: "reorder", times: 3 });
    const payment = square.pay({ customer: id, amount: 1_250 });
    square.refund(payment.id, { amount: 250 });
    await vendors.idle();
    await phone.shows("10 points");
    square.outbox.setFault({ kind: "duplicate" });
    square.refund(payment.id);
    square.updateCustomer(id, { given_name: "Iggy" });
    await vendors.idle();
    await phone.shows("0 points", "Iggy");
    assert.deepEqual(await journey.movements(phone.passId), [12, -2, -10]);

    square.deleteCustomer(id);
    await vendors.idle();
    const isGone = async () => (await journey.passIdOf(id)) === undefined;
    await journey.waitFor("the pass is gone", isGone);
    assert.match((await phone.remove()) ?? "", /401|404/);
    for (const word of ["Ignatius", "Iggy"]) assert.deepEqual(await journey.traces(word), [], word);
    assert.ok(square.outbox.deliveries.every(({ state }) => state === "delivered"));
  });

  it("LoyaltyLion: the newest points and tier, whatever comes late or twice, and nothing after an erasure", async () => {
    const journey = await openPhoneJourney(api(), "pride", "loyaltylion.customerId");
    const url = await journey.connect("loyaltylion", {
      passType: "member",
      points: "points",
      fields: {
        firstName: "properties.first_name",
        tier: "loyalty_tier_membership.loyalty_tier.name",
      },
      signingSecret: "site-secret",
    });
    loyaltylion.createSite({ id: "pride", secret: "site-secret", url });
    const member = { merchant_id: "c-1", first_name: "Seraphina" };
    const { id } = loyaltylion.putCustomer({ ...member, points_approved: 500 });
    await vendors.idle();
    const phone = await journey.hold("iphone", String(id));
    await phone.shows("Seraphina", "500 points", "Bronze");

    loyaltylion.outbox.setFault({ kind: "reorder", times: 2 });
    loyaltylion.putCustomer({ ...member, points_approved: 700 });
    loyaltylion.putCustomer({ ...member, points_approved: 900, tier: "Silver" });
    await vendors.idle();
    await phone.shows("900 points", "Silver");
    loyaltylion.outbox.setFault({ kind: "duplicate" });
    loyaltylion.putCustomer({ ...member, points_approved: 150, tier: "Silver" });
    await vendors.idle();
    await phone.shows("150 points", "Silver");
    assert.deepEqual(await journey.movements(phone.passId), [500, 400, -750]);

    // LoyaltyLion has no topic for it, so it is asked for here.
    const { status } = await api().delete(journey.path(`passes/${phone.passId}`), {
      key: journey.key,
    });
    assert.equal(status, 204);
    for (const { id: delivery } of loyaltylion.outbox.deliveries)
      loyaltylion.outbox.again(delivery);
    await vendors.idle();
    assert.match((await phone.remove()) ?? "", /401|404/);
    assert.equal(await journey.passIdOf(String(id)), undefined);
  });

  it("customer data: an attribute is seen on the phone, a scan and a movement at the platform, and an erasure in both", async () => {
    const journey = await openPhoneJourney(api(), "harbour", "cdp.registered");
    const { token, apiKeyId, apiKeySecret } = bloomreach.createProject();
    const settings = { projectToken: token, baseUrl: bloomreach.url, apiKeyId, apiKeySecret };
    await journey.connect("cdp", settings);
    const registered = "cosima@harbour.example";
    const know = (first_name: string) =>
      bloomreach.putCustomer({
        project: token,
        customer_ids: { registered },
        properties: { first_name },
      });
    know("Cosima");
    const { key } = journey;
    const made = await api().post(journey.path("passes?passType=member"), {
      key,
      body: { identifiers: { "cdp.registered": registered }, additionalData: { firstName: "You" } },
    });
    assert.equal(made.status, 201, made.text);
    const phone = await journey.hold("iphone", registered);
    await phone.shows("You", "0 points");
    const pass = journey.path(`passes/${phone.passId}`);
    const refresh = () =>
      api().patch(pass, { key, body: { options: { UpdateMetadata: true, BypassQueue: true } } });
    assert.equal((await refresh()).body.delivery.apple.state, "sent");
    await phone.shows("Cosima");
    know("Coco");
    await refresh();
    await phone.shows("Coco");

    // The first answer is lost, so the platform gets the batch twice, with the same ids.
    await bloomreach.server.setFault({ kind: "cut-after", times: 1, path: "batch" });
    const scan = await api().post(journey.path("scans"), {
      key,
      body: { data: phone.passId, type: "qrcode", location: "Gate 4" },
    });
    assert.equal(scan.status, 201, scan.text);
    await api().post(`${pass}/privileges/points/movements`, { key, body: { value: 12 } });
    await phone.shows("12 points");
    const told = (type: string) =>
      bloomreach.events(token).filter(({ event_type }) => event_type === type);
    await journey.waitFor("the platform knows", async () => told("privilege_moved").length > 0);
    const types = new Set(bloomreach.events(token).map(({ event_type }) => event_type));
    for (const type of ["pass_created", "pass_installed", "pass_updated", "pass_scanned"]) {
      assert.ok(types.has(type), `${type}: ${[...types]}`);
    }
    assert.deepEqual(told("pass_scanned")[0]?.customer_ids, { registered });

    assert.equal((await api().delete(pass, { key })).status, 204);
    const anonymized = () =>
      bloomreach.arrivals.filter(
        ({ project, name }) => project === token && name === "customers/anonymize",
      );
    await journey.waitFor("they are erased there", async () => anonymized().length === 1);
    assert.match((await phone.remove()) ?? "", /401|404/);
    for (const word of ["Coco", registered]) assert.deepEqual(await journey.traces(word), [], word);
  });
});
