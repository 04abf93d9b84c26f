import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Inbound } from "../kit/connector.ts";
import { parseVendorJson } from "../kit/values.ts";
import { shopify } from "./shopify.connector.ts";

/** Contains an integer above 2^53: whoever reads and writes it again changes its digits. */
const BODY = '{"id":706405506930370084,"email":"bob@example.com"}';
const SIGNATURE = "RByDrW2A2MKACcPWBthTcXThdciDM2OrGqNlxw69p+Y=";

const { verify, read } = shopify.inbound as Inbound;

const check = (
  body: string,
  signature: string | undefined,
  secrets: readonly string[] = ["hush"],
  name = "x-shopify-hmac-sha256",
) =>
  verify(
    {
      method: "POST",
      publicUrl: "https://passes.example/x",
      headers: signature === undefined ? {} : { [name]: signature },
      rawBody: Buffer.from(body),
      now: new Date(),
    },
    { settings: {}, secrets: { clientSecret: secrets } },
  );

describe("the signature of Shopify", () => {
  it("is the one of the published formula, also with an integer above 2^53", () => {
    assert.deepEqual(check(BODY, SIGNATURE), { ok: true });
    assert.deepEqual(check(BODY, SIGNATURE, ["hush"], "shopify-hmac-sha256"), { ok: true });
  });

  it("is taken by each of two secrets while one replaces the other", () => {
    assert.equal(check(BODY, SIGNATURE, ["new", "hush"]).ok, true);
    assert.equal(check(BODY, SIGNATURE, ["new", "other"]).ok, false);
  });

  const last = SIGNATURE.replace("Y=", "Z=");
  for (const [what, body, signature, secrets] of [
    ["another byte in the body", BODY.replace("bob", "rob"), SIGNATURE, ["hush"]],
    [
      "a body that was read and written again",
      JSON.stringify(JSON.parse(BODY)),
      SIGNATURE,
      ["hush"],
    ],
    ["a blank after the body", `${BODY} `, SIGNATURE, ["hush"]],
    ["another signature", BODY, last, ["hush"]],
    ["a part of the signature", BODY, SIGNATURE.slice(0, 20), ["hush"]],
    [
      "the signature in hexadecimal",
      BODY,
      Buffer.from(SIGNATURE, "base64").toString("hex"),
      ["hush"],
    ],
    ["an empty signature", BODY, "", ["hush"]],
    ["no signature", BODY, undefined, ["hush"]],
    ["another secret", BODY, SIGNATURE, ["hush2"]],
    ["no secret at all", BODY, SIGNATURE, []],
  ] as const) {
    it(`is refused for ${what}`, () => {
      assert.equal(check(body, signature, secrets).ok, false);
    });
  }

  it("leads to the customer with every digit", () => {
    const shop = "cafe-lune.myshopify.com";
    const headers = {
      "x-shopify-topic": "customers/update",
      "x-shopify-webhook-id": "w-1",
      "x-shopify-shop-domain": shop,
    };
    const rawBody = Buffer.from(BODY);
    const connection = { settings: { shop }, secrets: {} };
    const json = parseVendorJson(rawBody);
    const reading = read({ headers, rawBody, json }, connection);
    assert.equal(reading?.subject, "customerId=706405506930370084");
  });
});
