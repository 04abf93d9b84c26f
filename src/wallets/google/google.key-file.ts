import { createPrivateKey, type KeyObject } from "node:crypto";
import { isObject, parseJson } from "#kernel/json.ts";

/** The key file of a service account, as Google's console gives it out. */
export type GoogleKeyFile = {
  readonly clientEmail: string;
  readonly keyId: string | undefined;
  readonly key: KeyObject;
};

/** What is wrong with a key file: it is none, its address, its key, or the kind of its key. */
export type KeyFileFault = "file" | "email" | "key" | "kind";

const ADDRESS = /^[^\s@]+@[^\s@]+$/;
const KEY_BITS_MIN = 2_048;

export function readKeyFile(text: string): GoogleKeyFile | KeyFileFault {
  const members = parseJson(text);
  if (!isObject(members)) return "file";
  const { client_email: clientEmail, private_key: pem, private_key_id: keyId } = members;
  if (!isAccountAddress(clientEmail)) return "email";
  const key = readSigningKey(String(pem));
  if (typeof key === "string") return key;
  return { clientEmail, keyId: typeof keyId === "string" ? keyId : undefined, key };
}

const SIMULATED = /@billfold-simulator\.iam\.gserviceaccount\.com$/;

/** A simulator makes further accounts, to try one without access: Google knows none of them. */
export function isSimulatedAddress(clientEmail: string): boolean {
  return SIMULATED.test(clientEmail);
}

export function isAccountAddress(value: unknown): value is string {
  return typeof value === "string" && ADDRESS.test(value);
}

/** With any other key, no signature could be made, long after the account was taken for usable. */
export function readSigningKey(pem: string): KeyObject | "key" | "kind" {
  // OpenSSL would make as many rounds as the key asks for, and hold up all others meanwhile.
  if (pem.includes("ENCRYPTED")) return "key";
  try {
    const key = createPrivateKey(pem);
    const { asymmetricKeyType, asymmetricKeyDetails: details } = key;
    const isUsable = asymmetricKeyType === "rsa" && (details?.modulusLength ?? 0) >= KEY_BITS_MIN;
    return isUsable ? key : "kind";
  } catch {
    return "key";
  }
}
