import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { describe, it } from "node:test";
import { type RootKey, readRootKeys, verifyCallback } from "./callback.verification.ts";

/** Callbacks that Google signed for an issuer who published them, and the root key they lead to. */
const ISSUER = "3388000000022141777";
const SAVED = String.raw`{"protocolVersion":"ECv2SigningOnly","signature":"MEYCIQCyuBQo/Dao7yUBDUWK12ATFBDkUfJUnropjOaPbPiKEwIhAKXNiVrbNmydpEVIxXRz5z36f8HV2Meq/Td6tqt2+DYO","intermediateSigningKey":{"signedKey":"{\"keyValue\":\"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3JpSX3AU53vH+IpWBdsbqrL7Ey67QSERsDUztFt8q7t7PzVkh14SeYeokI1zSZiVAWnx4tXD1tCPbrvfFGB8OA\\u003d\\u003d\",\"keyExpiration\":\"1735023986000\"}","signatures":["MEUCIQD3IBTpRM45gpno9Remtx/FiDCOJUp45+C+Qzw6IrgphwIgJijXISc+Ft8Sj9eXNowzuYyXyWlgKAE+tVnN24Sek5M="]},"signedMessage":"{\"classId\":\"3388000000022141777.pass.gift.dev.edutap.eu\",\"objectId\":\"3388000000022141777.9fd4e525-777c-4e0d-878a-b7993e211997\",\"eventType\":\"save\",\"expTimeMillis\":1734366082269,\"count\":1,\"nonce\":\"c1359b53-f2bb-4e8f-b392-9a560a21a9a0\"}"}`;
const DELETED = String.raw`{"protocolVersion":"ECv2SigningOnly","signature":"MEUCIQC+xKva1ydmNwJJiP2HJJWsteUe02ztTDKExzcWIpmlywIgJwD4HUYvZJg/cr1OL21vVKr0b2ZXt79NblCQ1V18zsc=","intermediateSigningKey":{"signedKey":"{\"keyValue\":\"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEKb256ssDdmf7DokZ7jsMtAvjiTX2HF1ay8QR1sSA+gFpC/ChhRwVdMEVJTaoAP1MIH38QWtqShiQ63zROaKtgQ\\u003d\\u003d\",\"keyExpiration\":\"1759996807000\"}","signatures":["MEUCIDd7rXh7qgJZ7YSlQiXG2zOdZUT5XlMSUPu3RfyV3p2CAiEApxrIwTmRVig93FVJUC6bSWdQXMqata5sHenKsVYreUk="]},"signedMessage":"{\"classId\":\"3388000000022141777.lib.edutap.eu\",\"objectId\":\"3388000000022141777.6b4cbd15-0de7-4fe8-95f6-995a51b4595e.object\",\"eventType\":\"del\",\"expTimeMillis\":1759331348143,\"count\":1,\"nonce\":\"1a9e3df0-ec10-4a17-8b39-89d2d7f48e3b\"}"}`;
const ROOT =
  "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEs/J7ghdwu4/b6NvqzQebS+Z80FEP8ZlGdAdWDUjfPeBKaV+YOWW0l6U/4IGXnfY9NrsND1fwxAqRq0unR/LCIg==";
const SAVED_AT = new Date("2024-12-16T16:00:00Z");
const DELETED_AT = new Date("2025-10-01T10:00:00Z");

const published = (keyValue: string, more: Record<string, unknown> = {}) => ({
  keyValue,
  protocolVersion: "ECv2SigningOnly",
  keyExpiration: "2154841200000",
  ...more,
});
const roots = (...keys: unknown[]): RootKey[] => readRootKeys({ keys });
const GOOGLE = roots(published(ROOT));

function faultOf(body: unknown, issuerId: string, keys: readonly RootKey[], at: Date): string {
  const verified = verifyCallback(body, issuerId, keys, at);
  return verified.ok ? "none" : verified.fault;
}

describe("callbacks that Google signed", () => {
  it("verify at their time: a save and a removal", () => {
    const saved = verifyCallback(JSON.parse(SAVED), ISSUER, GOOGLE, SAVED_AT);
    assert.deepEqual(saved, {
      ok: true,
      callback: {
        classId: `${ISSUER}.pass.gift.dev.edutap.eu`,
        objectId: `${ISSUER}.9fd4e525-777c-4e0d-878a-b7993e211997`,
        eventType: "save",
        nonce: "c1359b53-f2bb-4e8f-b392-9a560a21a9a0",
        expiresAt: 1734366082269,
      },
    });
    const deleted = verifyCallback(JSON.parse(DELETED), ISSUER, GOOGLE, DELETED_AT);
    assert.equal(deleted.ok && deleted.callback.eventType, "del");
  });

  for (const [name, text, at] of [
    ["save", SAVED, SAVED_AT],
    ["removal", DELETED, DELETED_AT],
  ] as const) {
    const body = JSON.parse(text);
    const { intermediateSigningKey: outer } = body;
    const fault = (changed: unknown, issuerId = ISSUER, keys = GOOGLE, time = at) =>
      faultOf(changed, issuerId, keys, time);

    it(`are refused when they are tampered with: ${name}`, () => {
      const { signedMessage, signature } = body;
      const other = signedMessage.replace('"count":1', '"count":2');
      assert.equal(fault({ ...body, signedMessage: other }), "forged", "message");
      const [signedKey] = [outer.signedKey.replace('"keyExpiration":"17', '"keyExpiration":"27')];
      assert.notEqual(signedKey, outer.signedKey);
      const withKey = { ...body, intermediateSigningKey: { ...outer, signedKey } };
      assert.equal(fault(withKey), "forged", "intermediate key");
      const swapped = { ...body, intermediateSigningKey: { ...outer, signatures: [signature] } };
      assert.equal(fault(swapped), "forged", "signature of the intermediate key");
      assert.equal(fault({ ...body, signature: outer.signatures[0] }), "forged", "signature");
      assert.equal(fault({ ...body, signature: "" }), "forged", "no signature");
      assert.equal(fault(body, "3388000000022141778"), "forged", "another issuer");
    });

    it(`are refused at another time: ${name}`, () => {
      const late = new Date(at.getTime() + 3 * 24 * 3_600_000);
      assert.equal(fault(body, ISSUER, GOOGLE, late), "forged");
      const later = new Date(at.getTime() + 30 * 24 * 3_600_000);
      assert.equal(fault(body, ISSUER, GOOGLE, later), "forged");
    });

    it(`are refused without a root key in force: ${name}`, () => {
      const expired = published(ROOT, { keyExpiration: String(at.getTime()) });
      const { keyExpiration: _end, ...endless } = published(ROOT);
      const other = published(TEST_ROOT.spki);
      const old = published(ROOT, { protocolVersion: "ECv1" });
      for (const keys of [roots(), roots(expired), roots(endless), roots(other), roots(old)]) {
        assert.equal(fault(body, ISSUER, keys), "forged");
      }
      assert.equal(fault(body, ISSUER, roots(other, expired, published(ROOT))), "none");
    });

    it(`are refused in another envelope: ${name}`, () => {
      const { signature: _signature, ...less } = body;
      const versions = { ...body, protocolVersion: "ECv2" };
      const more = { ...body, more: 1 };
      const inner = { ...body, intermediateSigningKey: { ...outer, more: 1 } };
      const lists = { ...body, intermediateSigningKey: { ...outer, signatures: [1] } };
      for (const wrong of [less, versions, more, inner, lists, null, [], "text", 1]) {
        assert.equal(fault(wrong), "malformed");
      }
      const several = { ...outer, signatures: ["AAAA", ...outer.signatures] };
      assert.equal(fault({ ...body, intermediateSigningKey: several }), "none", "one of several");
    });
  }
});

type Pair = { readonly key: KeyObject; readonly spki: string };

function makePair(): Pair {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  return {
    key: privateKey,
    spki: publicKey.export({ format: "der", type: "spki" }).toString("base64"),
  };
}

const [TEST_ROOT, TEST_KEY] = [makePair(), makePair()];
const NOW = new Date("2026-06-01T12:00:00Z");

/** Written from the description of the protocol, apart from the code that it checks. */
function pack(...texts: string[]): Buffer {
  const parts = texts.map((text) => {
    const size = Buffer.byteLength(text);
    return [Buffer.from([size & 255, (size >> 8) & 255, (size >> 16) & 255, size >> 24]), text];
  });
  return Buffer.concat(parts.flat().map((part) => Buffer.from(part)));
}

type Made = { sender?: string; message?: Record<string, unknown>; keyEndsAt?: number };

function make({ sender = "GooglePayPasses", message = {}, keyEndsAt }: Made = {}) {
  const keyExpiration = String(keyEndsAt ?? NOW.getTime() + 60_000);
  const signedKey = JSON.stringify({ keyValue: TEST_KEY.spki, keyExpiration });
  const signedMessage = JSON.stringify({
    classId: "77.loyalty",
    objectId: "77.ps_é",
    eventType: "save",
    expTimeMillis: NOW.getTime() + 60_000,
    count: 1,
    nonce: "n1",
    ...message,
  });
  const signatureOf = (pair: Pair, ...texts: string[]) =>
    sign("sha256", pack(...texts), pair.key).toString("base64");
  return {
    protocolVersion: "ECv2SigningOnly",
    signature: signatureOf(TEST_KEY, sender, "77", "ECv2SigningOnly", signedMessage),
    intermediateSigningKey: {
      signedKey,
      signatures: [signatureOf(TEST_ROOT, sender, "ECv2SigningOnly", signedKey)],
    },
    signedMessage,
  };
}

describe("callbacks that are signed well", () => {
  const keys = roots(published(TEST_ROOT.spki));

  it("verify, also with texts beyond ASCII", () => {
    assert.equal(faultOf(make(), "77", keys, NOW), "none");
  });

  it("are refused from another sender, after their end, or about another issuer's pass", () => {
    const at = NOW.getTime();
    for (const made of [
      make({ sender: "Google" }),
      make({ keyEndsAt: at }),
      make({ message: { expTimeMillis: at } }),
      make({ message: { objectId: "78.ps_1" } }),
      make({ message: { classId: "777.loyalty" } }),
    ]) {
      assert.equal(faultOf(made, "77", keys, NOW), "forged");
    }
  });

  it("are refused when they say nothing that can be understood", () => {
    for (const message of [
      { eventType: "open" },
      { nonce: "" },
      { expTimeMillis: "soon" },
      { objectId: 1 },
    ]) {
      assert.equal(faultOf(make({ message }), "77", keys, NOW), "malformed");
    }
  });
});
