import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

/** JSON of any shape. */
type Answer = ReturnType<typeof JSON.parse>;

const DOMAIN = "harbour.myshopify.com";

describe("vendors behind the door of the simulator", () => {
  const api = shareApi({ env: { BASE_URL: "http://localhost:18998" } });
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${api().url}/simulator/vendors${path}`, {
      method,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: (text === "" ? undefined : JSON.parse(text)) as Answer,
    };
  };

  it("200 names them, with the addresses of their APIs", async () => {
    const { status, body } = await call("GET", "");
    assert.equal(status, 200);
    const names: string[] = body.vendors.map(({ name }: Answer) => name);
    for (const name of ["braze", "brevo", "hubspot", "scenarios", "shopify"]) {
      assert.ok(names.includes(name), name);
    }
  });

  it("201 a contact of HubSpot comes to a workflow, in the words of HubSpot", async () => {
    const url = "http://localhost:18998/api/harbour/extensions/hubspot/journey/createPass";
    assert.equal((await call("PUT", "/hubspot/contacts/904", { firstname: "Ada" })).status, 200);
    const workflow = { id: "w", url, apiKey: "s3cret", body: { a: "{{ contact.firstname }}" } };
    const made = await call("POST", "/hubspot/workflows", workflow);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const come = await call("POST", "/hubspot/workflows/w/contacts", { ids: ["904"] });
    assert.equal(come.body[0].body, '{"a":"Ada"}');
    await until(async () => {
      const { body } = await call("GET", "/hubspot/deliveries");
      return body.deliveries[0].attempts.length > 0;
    });
    for (const path of ["", "/contacts", "/subscriptions", "/deliveries"].map(
      (at) => `/hubspot${at}`,
    )) {
      assert.ok(!JSON.stringify((await call("GET", path)).body).includes("s3cret"), path);
    }
    const nobody = await call("POST", "/hubspot/workflows/w/contacts", { ids: ["905"] });
    assert.equal(nobody.status, 404);
  });

  it("201 a shop sends signed webhooks to the product, by its public address", async () => {
    const url = "http://localhost:18998/api/harbour/extensions/shopify/webhooks/none";
    const shop = { domain: DOMAIN, clientSecret: "hush", url };
    assert.equal((await call("POST", "/shopify/shops", shop)).status, 201);
    const made = await call("POST", "/shopify/customers", { email: "ada@example.com" });
    assert.equal(made.status, 201);
    let delivery: Answer;
    await until(async () => {
      const { body } = await call("GET", "/shopify/deliveries?topic=customers%2Fcreate");
      [delivery] = body.deliveries;
      return delivery?.attempts.length > 0;
    });
    // The product does not know this address, and it was the product that said so.
    assert.equal(delivery.attempts[0].status, 404);
    assert.match(delivery.attempts[0].answer, /problem|status/);
    assert.equal(delivery.url, url);
    const raw = await call("POST", "/shopify/deliver", {
      account: DOMAIN,
      topic: "orders/paid",
      body: '{"id":706405506930370084}',
    });
    assert.equal(raw.body[0].body, '{"id":706405506930370084}');
  });

  it("201 lets time pass, so that retries come at once", async () => {
    const { status } = await call("POST", "/time", { seconds: 15 });
    assert.equal(status, 201);
    const { body } = await call("GET", "/shopify/deliveries?topic=customers%2Fcreate");
    assert.equal(body.deliveries[0].attempts.length, 2);
  });

  it("422 for an address that is not of this service", async () => {
    const shop = { domain: "x.myshopify.com", clientSecret: "x", url: "http://169.254.169.254/" };
    const { status, body } = await call("POST", "/shopify/shops", shop);
    assert.equal(status, 422, JSON.stringify(body));
    assert.equal((await call("GET", "/shopify")).body.shops.length, 1);
  });

  it("400 names the field, 404 the thing, 405 the method", async () => {
    const wrong = await call("POST", "/shopify/shops", { domain: "nowhere", clientSecret: "x" });
    assert.equal(wrong.status, 400);
    assert.ok("domain" in wrong.body.errors, JSON.stringify(wrong.body));
    assert.equal((await call("POST", "/shopify/orders/12/pay")).status, 404);
    assert.equal((await call("GET", "/nobody/orders")).status, 404);
    assert.equal((await call("DELETE", "/shopify/shops")).status, 405);
  });

  it("never shows the secret of a shop", async () => {
    for (const path of ["", "/shopify", "/shopify/deliveries", "/shopify/subscriptions"]) {
      assert.ok(!JSON.stringify((await call("GET", path)).body).includes("hush"), path);
    }
  });

  it("403 for pages of other sites", async () => {
    const response = await fetch(`${api().url}/simulator/vendors`, {
      headers: { origin: "https://elsewhere.example" },
    });
    assert.equal(response.status, 403);
  });

  it("204 forgets all", async () => {
    assert.equal((await call("POST", "/reset")).status, 204);
    assert.deepEqual((await call("GET", "/shopify")).body.shops, []);
  });
});
