import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";

/** A message to an issuer: a phone saved or deleted one of its objects. */
export type CallbackMessage = {
  readonly classId: string;
  readonly objectId: string;
  readonly eventType: "save" | "del";
  readonly expTimeMillis: number;
  readonly count: number;
  readonly nonce: string;
};

const PROTOCOL = "ECv2SigningOnly";
const SENDER = "GooglePayPasses";
const ROOT_MS = 3_650 * 86_400_000;
const INTERMEDIATE_MS = 7 * 86_400_000;

type Intermediate = {
  readonly keyPem: string;
  readonly signedKey: string;
  readonly signature: string;
  readonly expiresAt: number;
};

export function makeRootKey(): string {
  return makeKey().keyPem;
}

/** Signs callbacks as Google does: a root key vouches for a key that changes every week. */
export class CallbackSigner {
  readonly #rootKeyPem: string;
  #intermediate: Intermediate | undefined;

  constructor(rootKeyPem: string) {
    this.#rootKeyPem = rootKeyPem;
  }

  /** What the address of Google's root keys gives; keys of other protocols stand there, too. */
  rootKeys(now: number): object {
    const keyValue = publicOf(this.#rootKeyPem);
    const keyExpiration = String(now + ROOT_MS);
    return {
      keys: [
        { keyValue: makeKey().publicKey, protocolVersion: "ECv2", keyExpiration },
        { keyValue, protocolVersion: PROTOCOL, keyExpiration },
      ],
    };
  }

  sign(message: CallbackMessage, issuerId: string, now: number): string {
    const { keyPem, signedKey, signature: keySignature } = this.#intermediateAt(now);
    const signedMessage = JSON.stringify(message);
    const signature = signText(keyPem, [SENDER, issuerId, PROTOCOL, signedMessage]);
    return JSON.stringify({
      protocolVersion: PROTOCOL,
      signature,
      intermediateSigningKey: { signedKey, signatures: [keySignature] },
      signedMessage,
    });
  }

  #intermediateAt(now: number): Intermediate {
    const known = this.#intermediate;
    if (known !== undefined && known.expiresAt > now + INTERMEDIATE_MS / 2) return known;
    const { keyPem, publicKey } = makeKey();
    const expiresAt = now + INTERMEDIATE_MS;
    // Google writes the padding of base64 escaped, so whoever parses and writes again fails here.
    const signedKey = JSON.stringify({
      keyValue: publicKey,
      keyExpiration: String(expiresAt),
    }).replaceAll("=", "\\u003d");
    const signature = signText(this.#rootKeyPem, [SENDER, PROTOCOL, signedKey]);
    this.#intermediate = { keyPem, signedKey, signature, expiresAt };
    return this.#intermediate;
  }
}

function makeKey(): { readonly keyPem: string; readonly publicKey: string } {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keyPem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return { keyPem, publicKey: publicOf(keyPem) };
}

function publicOf(keyPem: string): string {
  return createPublicKey(keyPem).export({ type: "spki", format: "der" }).toString("base64");
}

/** Each part is preceded by its length in bytes, as 4 bytes with the lowest first. */
function signText(keyPem: string, parts: readonly string[]): string {
  const bytes = parts.flatMap((part) => {
    const content = Buffer.from(part);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(content.length);
    return [length, content];
  });
  return sign("sha256", Buffer.concat(bytes), createPrivateKey(keyPem)).toString("base64");
}
