import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { isObject, parseJson } from "#kernel/json.ts";

/**
 * Verifies callbacks that Google signed by the protocol ECv2SigningOnly: a root key signs an
 * intermediate key, which signs the message. Pure: keys and time come from the caller.
 */

const SENDER = "GooglePayPasses";
const PROTOCOL = "ECv2SigningOnly";
/** Google sends one signature of the intermediate key for each root key in use. */
const SIGNATURES_MAX = 10;
const CURVE = "prime256v1";

/** A root key, as Google publishes it. */
export type RootKey = { readonly key: KeyObject; readonly expiresAt: number };

export type SignedCallback = {
  readonly classId: string;
  readonly objectId: string;
  readonly eventType: "save" | "del";
  readonly nonce: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
};

export type Verified =
  | { readonly ok: true; readonly callback: SignedCallback }
  /** `forged`: a signature, the sender, the recipient or the time is wrong. */
  | { readonly ok: false; readonly fault: "malformed" | "forged"; readonly reason: string };

const malformed = (reason: string) => ({ ok: false, fault: "malformed", reason }) as const;
const forged = (reason: string) => ({ ok: false, fault: "forged", reason }) as const;

/** Reads the published document. Keys of other protocols and those without an end are left out. */
export function readRootKeys(document: unknown): RootKey[] {
  const list = isObject(document) && Array.isArray(document.keys) ? document.keys : [];
  return list.flatMap((entry: unknown) => {
    if (!isObject(entry) || entry.protocolVersion !== PROTOCOL) return [];
    const key = readKey(entry.keyValue);
    const expiresAt = readMillis(entry.keyExpiration);
    return key === undefined || expiresAt === undefined ? [] : [{ key, expiresAt }];
  });
}

/** `issuerId` is that of the tenant whose address was called, never one from the message. */
export function verifyCallback(
  body: unknown,
  issuerId: string,
  rootKeys: readonly RootKey[],
  now: Date,
): Verified {
  const envelope = readEnvelope(body);
  if (envelope === undefined) return malformed("the envelope has other members or another version");
  const { signature, signedKey, signatures, signedMessage } = envelope;
  const keyBytes = lengthValues(SENDER, PROTOCOL, signedKey);
  const usable = rootKeys.filter(({ expiresAt }) => expiresAt > now.getTime());
  const isKeySigned = usable.some(({ key }) =>
    signatures.some((one) => isSignedBy(key, keyBytes, one)),
  );
  if (!isKeySigned) return forged("no root key signed the intermediate key");
  const intermediate = readIntermediate(signedKey);
  if (intermediate === undefined) return malformed("the intermediate key cannot be read");
  if (intermediate.expiresAt <= now.getTime()) return forged("the intermediate key has expired");
  const messageBytes = lengthValues(SENDER, issuerId, PROTOCOL, signedMessage);
  if (!isSignedBy(intermediate.key, messageBytes, signature)) {
    return forged("the intermediate key did not sign this message for this issuer");
  }
  return readMessage(signedMessage, issuerId, now);
}

type Envelope = {
  readonly signature: string;
  readonly signedKey: string;
  readonly signatures: readonly string[];
  readonly signedMessage: string;
};

function readEnvelope(body: unknown): Envelope | undefined {
  if (!isObject(body) || Object.keys(body).length !== 4) return undefined;
  const { protocolVersion, signature, intermediateSigningKey: outer, signedMessage } = body;
  if (protocolVersion !== PROTOCOL || !isObject(outer) || Object.keys(outer).length !== 2) {
    return undefined;
  }
  const { signedKey, signatures } = outer;
  if (typeof signature !== "string" || typeof signedMessage !== "string") return undefined;
  if (typeof signedKey !== "string" || !Array.isArray(signatures)) return undefined;
  if (signatures.length > SIGNATURES_MAX) return undefined;
  if (!signatures.every((one): one is string => typeof one === "string")) return undefined;
  return { signature, signedKey, signatures, signedMessage };
}

function readIntermediate(signedKey: string): RootKey | undefined {
  const value = parseJson(signedKey);
  if (!isObject(value)) return undefined;
  const key = readKey(value.keyValue);
  const expiresAt = readMillis(value.keyExpiration);
  return key === undefined || expiresAt === undefined ? undefined : { key, expiresAt };
}

function readMessage(signedMessage: string, issuerId: string, now: Date): Verified {
  const message = parseJson(signedMessage);
  if (!isObject(message)) return malformed("the message is no JSON object");
  const { classId, objectId, eventType, expTimeMillis, nonce } = message;
  const expiresAt = readMillis(expTimeMillis);
  if (typeof classId !== "string" || typeof objectId !== "string") return malformed("ids missing");
  if (typeof nonce !== "string" || nonce === "") return malformed("the nonce is missing");
  if (eventType !== "save" && eventType !== "del") return malformed("the event is not known");
  if (expiresAt === undefined) return malformed("the message has no end");
  if (expiresAt <= now.getTime()) return forged("the message has expired");
  const isOwn = [classId, objectId].every((id) => id.startsWith(`${issuerId}.`));
  if (!isOwn) return forged("the pass belongs to another issuer");
  return { ok: true, callback: { classId, objectId, eventType, nonce, expiresAt } };
}

/** Each text in UTF-8, after its length in bytes as four bytes, the lowest first. */
function lengthValues(...texts: readonly string[]): Buffer {
  return Buffer.concat(
    texts.flatMap((text) => {
      const value = Buffer.from(text, "utf8");
      const length = Buffer.alloc(4);
      length.writeUInt32LE(value.length);
      return [length, value];
    }),
  );
}

function isSignedBy(key: KeyObject, bytes: Buffer, signature: string): boolean {
  try {
    return verify("sha256", bytes, key, Buffer.from(signature, "base64"));
  } catch {
    return false;
  }
}

function readKey(value: unknown): KeyObject | undefined {
  if (typeof value !== "string") return undefined;
  try {
    const key = createPublicKey({
      key: Buffer.from(value, "base64"),
      format: "der",
      type: "spki",
    });
    return key.asymmetricKeyDetails?.namedCurve === CURVE ? key : undefined;
  } catch {
    return undefined;
  }
}

function readMillis(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) ? number : undefined;
}
