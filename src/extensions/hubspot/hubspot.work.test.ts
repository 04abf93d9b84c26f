import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";
import { openVendor } from "#test/support/vendor-stage.ts";

const SECRET = "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy";

const third = (rawBody: string, url: string, at = Date.now()) => ({
  "x-hubspot-request-timestamp": String(at),
  "x-hubspot-signature-v3": createHmac("sha256", SECRET)
    .update(`POST${url}${rawBody}${at}`)
    .digest("base64"),
});
const second = (rawBody: string, url: string) => ({
  "x-hubspot-signature-version": "v2",
  "x-hubspot-signature": createHash("sha256").update(`${SECRET}POST${url}${rawBody}`).digest("hex"),
});

let count = 0;

describe("workflows of HubSpot that an app signs", () => {
  const api = shareApi();
  type Sign = (rawBody: string, url: string) => Readonly<Record<string, string>>;
  const open = (sign: Sign = third, settings: object = {}) => {
    count += 1;
    return openVendor(api(), `hub-${count}`, {
      connector: "hubspot",
      settings: { clientSecret: SECRET, ...settings },
      identifier: "hubspot.contactId",
      sign,
    });
  };
  const contact = (firstName: string) => ({
    action: "createPass",
    "identifiers.hubspot.contactId": "904",
    "additionalData.firstName": firstName,
    passType: "member",
  });

  it("200: pairs of names and values make a pass, with the third version of the signature", async () => {
    const { deliver, pass } = await open();
    assert.equal((await deliver(contact("Ada"))).status, 200);
    assert.deepEqual((await pass("904"))?.data, { firstName: "Ada" });
  });

  it("200: an action of an app, with the second version, is done once for each run", async () => {
    const { deliver, pass, deliveries } = await open(second);
    const run = {
      callbackId: "ap-1",
      origin: { portalId: 1 },
      object: { objectId: 904 },
      inputFields: contact("Ada"),
    };
    for (const _time of [1, 2]) assert.equal((await deliver(run)).status, 200);
    assert.deepEqual((await pass("904"))?.data, { firstName: "Ada" });
    assert.equal((await deliveries()).length, 1);
  });

  it("200: the address that HubSpot signs may be the one of a proxy", async () => {
    const notificationUrl = "https://hooks.cafe-lune.example/hubspot";
    const { deliver, pass } = await open((body) => third(body, notificationUrl), {
      notificationUrl,
    });
    assert.equal((await deliver(contact("Ada"))).status, 200);
    assert.notEqual(await pass("904"), undefined);
  });

  it("401: another address, an old one, the first version, another body, and none", async () => {
    const { send, shown, deliveries } = await open();
    const url = String(shown.webhookUrl);
    const body = JSON.stringify(contact("Ada"));
    const first = createHash("sha256").update(`${SECRET}${body}`).digest("hex");
    for (const headers of [
      third(body, "https://elsewhere.example/"),
      third(body, url, Date.now() - 301_000),
      { "x-hubspot-signature": first, "x-hubspot-signature-version": "v1" },
      { "x-hubspot-signature": first },
      third(`${body} `, url),
      second(`${body} `, url),
      {},
    ]) {
      assert.equal((await send(body, headers)).status, 401);
    }
    assert.deepEqual(await deliveries(), []);
  });
});
