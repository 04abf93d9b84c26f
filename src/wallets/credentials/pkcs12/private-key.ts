import { createPrivateKey, type KeyObject } from "node:crypto";
import { type DerNode, numberOf, oidOf, partOf, readDer, TAG } from "../../der/der.read.ts";

/** OpenSSL writes 2,048 rounds. This many hold up everybody for some tenths of a second at most. */
const ROUNDS_MAX = 100_000;
const PBES2 = "1.2.840.113549.1.5.13";
const PBKDF2 = "1.2.840.113549.1.5.12";

/** The first key of the text: its kind, and what stands between its lines. */
const KEY =
  /-----BEGIN ((?:ENCRYPTED |RSA |EC )?PRIVATE KEY)-----((?:(?!-----)[\s\S])*)-----END \1-----/;

/**
 * Reads a private key in PEM. Undefined if it cannot be read, or if whoever wrote it asks for so many
 * rounds of its passphrase that the process would stand still meanwhile.
 */
export function readPrivateKey(
  pem: string,
  passphrase: string | undefined,
): KeyObject | "encrypted" | undefined {
  const [block, label, body = ""] = KEY.exec(pem) ?? [];
  if (block === undefined) return undefined;
  const secret = passphrase === undefined ? {} : { passphrase };
  try {
    // The older forms derive their key in one round.
    if (label === "RSA PRIVATE KEY" || label === "EC PRIVATE KEY") {
      return createPrivateKey({ key: block, format: "pem", ...secret });
    }
    // The same bytes are checked and opened: two readers of a text may see two different keys in it.
    const key = Buffer.from(body, "base64");
    if (!isCheap(readDer(key))) return undefined;
    return createPrivateKey({ key, format: "der", type: "pkcs8", ...secret });
  } catch {
    return /ENCRYPTED/.test(block) ? "encrypted" : undefined;
  }
}

/** A key without encryption begins with its version, an encrypted one with how it is encrypted. */
function isCheap(key: DerNode): boolean {
  const algorithm = partOf(key, 0);
  if (algorithm.tag === TAG.integer) return true;
  const parameters = partOf(algorithm, 1, TAG.sequence);
  if (oidOf(partOf(algorithm, 0)) !== PBES2) return isFew(parameters);
  const derivation = partOf(parameters, 0, TAG.sequence);
  // Every other derivation, such as scrypt, counts its work in another way.
  return oidOf(partOf(derivation, 0)) === PBKDF2 && isFew(partOf(derivation, 1, TAG.sequence));
}

/** All schemes name the salt first, then the rounds. */
function isFew(parameters: DerNode): boolean {
  return numberOf(partOf(parameters, 1)) <= ROUNDS_MAX;
}
