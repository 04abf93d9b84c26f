import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { makeSignatureSecret } from "../webhook.secret.ts";
import { deliveryHeaders, makeSigningKey, type SignedDelivery } from "./delivery.signature.ts";

/** A test vector published by Standard Webhooks. */
const VECTOR = {
  eventId: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestampSeconds: 1_614_265_330,
  body: '{"test": 2432232314}',
  secrets: ["MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
};

/**
 * Texts that libraries often break: characters beyond the first plane, JavaScript line ends, big
 * numbers.
 */
const BODIES = [
  '{"name":"Café 🧁👩‍🍳"}',
  '{"note":"one\u2028two\u2029three"}',
  '{"serial":9007199254740993,"exact":123456789012345.6789}',
  '{"escaped":"\\ud83e\\uddc1\\u2028\\u0000"}',
  "",
];

type Changes = Partial<SignedDelivery> & { readonly secrets?: readonly string[] };

function headersOf({ secrets = VECTOR.secrets, ...changes }: Changes): Record<string, string> {
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const names = { eventName: "pass.created", tenantId: "cafe-lune" };
  const keys = secrets.map(makeSigningKey);
  return deliveryHeaders({ ...VECTOR, ...names, timestampSeconds, keys, ...changes });
}

/** Verifies as a receiver does: with the official library, from the secret and what arrived. */
function verifies(secret: string, body: string | Buffer, headers: Record<string, string>): boolean {
  try {
    new Webhook(`whsec_${secret}`).verify(body, headers);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return true; // The signature is right; the body is not JSON.
    return false;
  }
}

const anyBody = fc.oneof(fc.constantFrom(...BODIES), fc.json(), fc.string({ unit: "binary" }));
const anySecret = fc
  .uint8Array({ minLength: 48, maxLength: 48 })
  .map((bytes) => Buffer.from(bytes).toString("base64"));

describe("headers of a delivery", () => {
  it("are signed as the published vector of Standard Webhooks", () => {
    const headers = headersOf(VECTOR);
    assert.equal(headers["webhook-id"], VECTOR.eventId);
    assert.equal(headers["webhook-timestamp"], "1614265330");
    assert.equal(headers["webhook-signature"], "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  it("say what it is, for whom and from whom", () => {
    const { "webhook-signature": standard, ...others } = headersOf(VECTOR);
    assert.match(standard ?? "", /^v1,[A-Za-z0-9+/]{43}=$/);
    assert.deepEqual(others, {
      "content-type": "application/json",
      "user-agent": "Billfold-Webhooks/1",
      // printf '{"test": 2432232314}' | openssl dgst -sha256 -hmac MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
      "x-service-signature": "5ee0e8e3d564cf9cbeea807e97cecc6cccf0b0e20aa28073cc267a2881a839fc",
      "x-service-eventname": "pass.created",
      "x-service-tenantid": "cafe-lune",
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
    });
  });

  it("convince the official library, and nobody when a byte of the body changed", () => {
    fc.assert(
      fc.property(anySecret, anyBody, fc.nat(), (secret, body, place) => {
        const headers = headersOf({ body, secrets: [secret] });
        assert.ok(verifies(secret, body, headers));
        const changed = Buffer.from(`${body} `);
        const at = place % changed.length;
        changed[at] = (changed[at] ?? 0) ^ 1;
        assert.ok(!verifies(secret, changed, headers));
      }),
    );
  });

  it("are the same for a text and for its bytes, and five lines check the short signature", () => {
    fc.assert(
      fc.property(anySecret, anyBody, (secret, body) => {
        const headers = headersOf({ body, secrets: [secret], timestampSeconds: 1 });
        const bytes = Buffer.from(body);
        assert.deepEqual(
          headersOf({ body: bytes, secrets: [secret], timestampSeconds: 1 }),
          headers,
        );
        const expected = createHmac("sha256", secret).update(bytes).digest("hex");
        assert.equal(headers["x-service-signature"], expected);
      }),
    );
  });

  it("convince holders of either secret while secrets change, the short signature by the new one", () => {
    const [old, fresh] = [makeSignatureSecret(), makeSignatureSecret()];
    const [body = ""] = BODIES;
    const headers = headersOf({ body, secrets: [fresh, old] });
    assert.ok(verifies(fresh, body, headers));
    assert.ok(verifies(old, body, headers));
    assert.ok(!verifies(makeSignatureSecret(), body, headers));
    const alone = headersOf({ body, secrets: [fresh] });
    assert.equal(headers["x-service-signature"], alone["x-service-signature"]);
    const [first, second, ...more] = headers["webhook-signature"]?.split(" ") ?? [];
    assert.equal(first, alone["webhook-signature"]);
    assert.match(second ?? "", /^v1,/);
    assert.deepEqual(more, []);
  });

  it("are not made without a secret", () => {
    assert.throws(() => headersOf({ secrets: [] }), TypeError);
  });
});
