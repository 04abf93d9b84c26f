import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PRODUCT_OPERATOR_KEY } from "#test/support/product.ts";
import { shareProduct } from "#test/support/share-product.ts";
import { startWait } from "#test/support/slowness.ts";
import { WALLET_FILES } from "#test/support/wallet-tenant.ts";

const key = PRODUCT_OPERATOR_KEY;
const PATIENCE_MS = 30_000;
const LOOK_MS = 100;
const SECRET = "a-secret-of-the-vendor";

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const isOver = startWait(PATIENCE_MS);
  while (!(await isSo())) {
    assert.ok(!isOver(), `${what}: not after ${PATIENCE_MS} ms`);
    await sleep(LOOK_MS);
  }
}

/** From somebody who comes to a step of a journey at a vendor, to what their phone shows. */
describe("a customer on a journey", () => {
  const product = shareProduct({ DEMO: "0" });
  const vendor = async (path: string, body?: object) => {
    const answer = await product().post(`/simulator/vendors/${path}`, body ? { body } : {});
    assert.ok(answer.status < 300, `${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const configure = async (connector: string, settings: object): Promise<string> => {
    const path = `/api/harbour/admin/extensions/${connector}`;
    const body = { passType: "loyalty", ...settings };
    const { status, text } = await product().put(path, { key, body });
    assert.equal(status, 204, text);
    return (await product().get(path, { key })).body.webhookUrl;
  };
  const passOf = async (name: string, value: string) => {
    const query = new URLSearchParams({
      "filter[0].field": `identifiers.${name}`,
      "filter[0].operator": "equals",
      "filter[0].value": value,
    });
    const { body } = await product().get(`/api/harbour/passes?${query}`, { key });
    return body[0];
  };
  /** A phone with the pass of the link, and what it shows. */
  const phoneWith = async (url: string) => {
    const { id } = (await product().post("/simulator/api/phones", { body: { kind: "iphone" } }))
      .body;
    const added = await product().post(`/simulator/api/phones/${id}/passes`, { body: { url } });
    assert.equal(added.status, 201, added.text);
    const seen = async () => (await product().get(`/simulator/api/phones/${id}`)).body;
    return {
      shows: async (text: string) =>
        JSON.stringify((await seen()).cards).includes(`"value":${JSON.stringify(text)}`),
      wasTold: async (text: string) => JSON.stringify((await seen()).notices).includes(text),
    };
  };

  before(async () => {
    const { status, text } = await product().put("/api/tenants/harbour", {
      key,
      body: { files: WALLET_FILES },
    });
    assert.equal(status, 201, text);
  });

  it("of Marketing Cloud gets a pass, and their phone follows what the journey says", async () => {
    const address = await configure("sfmc", { jwtSecret: SECRET });
    const activity = { configUrl: `${address}/config.json`, jwtSecret: SECRET };
    const { id } = await vendor("sfmc/activities", activity);
    const { isPublished } = await vendor(`sfmc/activities/${id}/publish`);
    assert.equal(isPublished, true);
    const enter = async (inArguments: object) =>
      JSON.parse(
        (
          await vendor(`sfmc/activities/${id}/contacts`, {
            contactKey: "003-1",
            inArguments: [inArguments],
          })
        ).answer,
      );
    const create = { action: "createPass", "additionalData.firstName": "Ada" };
    const made = await enter({ ...create, "additionalData.points": "5" });
    assert.equal(made.status, "created", JSON.stringify(made));
    const phone = await phoneWith(made.installUrl);
    assert.ok(await phone.shows("Ada"));
    await enter({ action: "updatePass", "additionalData.points": "42" });
    await until("42 is shown", () => phone.shows("42"));
    await enter({ action: "notifyPass", "notification.text": "Your table is ready." });
    await until("the message came", () => phone.wasTold("Your table is ready."));
  });

  it("of Customer.io gets a pass, and their phone follows what the campaign says", async () => {
    const url = await configure("customerio", { signingKey: SECRET });
    await vendor("customerio/workspaces", { id: "w", signingKey: SECRET, url });
    const enter = async (body: object, customer: object) => {
      const campaign = { workspace: "w", body: JSON.stringify(body) };
      const { id } = await vendor("customerio/campaigns", campaign);
      await vendor(`customerio/campaigns/${id}/people`, { customer });
    };
    const who = { identifiers: { "customerio.id": "{{customer.id}}" } };
    const data = { firstName: "{{customer.first_name}}", points: "{{customer.points}}" };
    const customer = { id: "7", first_name: "Grace", points: 5 };
    await enter({ action: "createPass", ...who, additionalData: data }, customer);
    await until("there is a pass", async () => (await passOf("customerio.id", "7")) !== undefined);
    const { id } = await passOf("customerio.id", "7");
    const { links } = (await product().get(`/api/harbour/passes/${id}`, { key })).body;
    const phone = await phoneWith(links.landing);
    assert.ok(await phone.shows("Grace"));
    await enter(
      { action: "updatePass", ...who, additionalData: data },
      { ...customer, points: 42 },
    );
    await until("42 is shown", () => phone.shows("42"));
    const told = { notification: { text: "Welcome, {{customer.first_name}}." } };
    await enter(
      { action: "notifyPass", idempotencyKey: "{{message.id}}", ...who, ...told },
      customer,
    );
    await until("the message came", () => phone.wasTold("Welcome, Grace."));
  });

  it("of Klaviyo gets a pass, and their phone follows what the flow says", async () => {
    await configure("klaviyo", {});
    const made = await product().post("/api/harbour/admin/apiKeys", {
      key,
      body: { name: "Klaviyo", scopes: ["Extension.Journey"] },
    });
    const baseUrl = product().url.replace("127.0.0.1", "localhost");
    const enter = async (action: string, body: object, person: object) => {
      const id = `flow-${action}`;
      const url = `${baseUrl}/api/harbour/extensions/klaviyo/journey/${action}`;
      const flow = { id, url, apiKey: made.body.token, body: JSON.stringify(body) };
      await vendor("klaviyo/flows", flow);
      await vendor(`klaviyo/flows/${id}/people`, person);
    };
    const who = { identifiers: { "klaviyo.email": "{{ email }}" } };
    const data = { firstName: "{{ first_name|default:'' }}", points: "{{ points }}" };
    const person = { email: "mary@example.com", first_name: "Mary", points: 5 };
    await enter("createPass", { ...who, additionalData: data }, person);
    const known = () => passOf("klaviyo.email", person.email);
    await until("there is a pass", async () => (await known()) !== undefined);
    const pass = await product().get(`/api/harbour/passes/${(await known()).id}`, { key });
    const phone = await phoneWith(pass.body.links.landing);
    assert.ok(await phone.shows("Mary"));
    await enter("updatePass", { ...who, additionalData: data }, { ...person, points: 42 });
    await until("42 is shown", () => phone.shows("42"));
    const told = { idempotencyKey: "d-1", notification: { text: "Your table is ready." } };
    await enter("notifyPass", { ...who, ...told }, person);
    await until("the message came", () => phone.wasTold("Your table is ready."));
  });
});
