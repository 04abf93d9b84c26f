import { randomBytes } from "node:crypto";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from "jose";
import type { SealedColumn } from "#kernel/crypto/sealed-column.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { insertFirstKey, type KeyKind, listKeys } from "./authorization.repository.ts";

export const SIGNING_ALGORITHM = "ES256";
const PURPOSE = "signing-key";
const COOKIE_KEY_BYTES = 32;

export const sealedKeys: SealedColumn = {
  table: "authorization_key",
  column: "sealed",
  key: ["kind", "generation"],
  purpose: PURPOSE,
  contextOf: ({ kind }) => String(kind),
  essential: true,
};

/** Private keys; the first one signs. The first use makes a key, the same one for all nodes. */
export async function loadSigningKeys(runtime: Runtime): Promise<JWK[]> {
  const known = await readKeys(runtime, "signing");
  if (known.length > 0) return known.map(toJwk);
  await insertFirstKey(runtime, "signing", seal(runtime, "signing", await makeSigningKey()));
  return (await readKeys(runtime, "signing")).map(toJwk);
}

/** Returns the public keys. Makes no key: without a key there is no token to check. */
export async function loadPublicKeys(runtime: Runtime): Promise<JWK[]> {
  const keys = (await readKeys(runtime, "signing")).map(toJwk);
  return keys.map(({ d: _private, ...publicKey }) => publicKey);
}

export async function loadCookieKeys(runtime: Runtime): Promise<string[]> {
  const known = await readKeys(runtime, "cookie");
  if (known.length > 0) return known.map((key) => key.toString("base64url"));
  await insertFirstKey(runtime, "cookie", seal(runtime, "cookie", randomBytes(COOKIE_KEY_BYTES)));
  return (await readKeys(runtime, "cookie")).map((key) => key.toString("base64url"));
}

async function makeSigningKey(): Promise<Buffer> {
  const { privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  return Buffer.from(JSON.stringify({ ...jwk, kid, alg: SIGNING_ALGORITHM, use: "sig" }));
}

function toJwk(plain: Buffer): JWK {
  return JSON.parse(plain.toString("utf8")) as JWK;
}

function seal(runtime: Runtime, kind: KeyKind, plain: Buffer): Buffer {
  return runtime.sealer.seal(PURPOSE, kind, plain);
}

async function readKeys(runtime: Runtime, kind: KeyKind): Promise<Buffer[]> {
  const rows = await listKeys(runtime, kind);
  return rows.map(({ generation, sealed }) => {
    const plain = runtime.sealer.open(PURPOSE, kind, sealed);
    // No new key is made: nodes with different master keys would refuse each other's sessions.
    if (plain === undefined) {
      throw new Error(`MASTER_KEY does not open the ${kind} key ${generation} of this database.`);
    }
    return plain;
  });
}
