import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";

type Expected = { readonly keysUrl: string; readonly issuer: string };

const SENDER = "GooglePayPasses";
const PROTOCOL = "ECv2SigningOnly";

/**
 * Verifies a callback by the documentation of ECv2SigningOnly, with code of its own.
 * Returns the type of the event and the id of the object.
 */
export async function verifyCallback(
  body: string,
  { keysUrl, issuer }: Expected,
): Promise<[string, string]> {
  const response = await fetch(keysUrl);
  assert.match(response.headers.get("cache-control") ?? "", /max-age=\d+/);
  const { keys } = (await response.json()) as { keys: Record<string, string>[] };
  const root = keys.find(({ protocolVersion }) => protocolVersion === PROTOCOL);
  const sent = JSON.parse(body);
  const { signedKey, signatures } = sent.intermediateSigningKey;
  assert.ok(isSigned(root?.keyValue ?? "", [SENDER, PROTOCOL, signedKey], signatures[0]));
  const { keyValue, keyExpiration } = JSON.parse(signedKey);
  assert.ok(Number(keyExpiration) > Date.now());
  assert.ok(isSigned(keyValue, [SENDER, issuer, PROTOCOL, sent.signedMessage], sent.signature));
  const { eventType, objectId, expTimeMillis } = JSON.parse(sent.signedMessage);
  assert.ok(expTimeMillis > Date.now());
  return [eventType, objectId];
}

function isSigned(key: string, texts: readonly string[], signature: string): boolean {
  return verify(
    "sha256",
    Buffer.concat(texts.map(lengthAndText)),
    createPublicKey({ key: Buffer.from(key, "base64"), format: "der", type: "spki" }),
    Buffer.from(signature, "base64"),
  );
}

function lengthAndText(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text)]);
}
