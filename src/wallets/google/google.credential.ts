import { createPrivateKey } from "node:crypto";
import type { Finding, NamedSecrets, SecretReader } from "#src/files/public.ts";
import { credentialMissing, credentialUnreadable } from "../credential.findings.ts";
import type { GoogleSettings } from "./google.schema.ts";

/** Checks whether the stored secret can act for the issuer at Google. */
export async function googleCredentialFindings(
  { path, settings, places }: NamedSecrets<GoogleSettings>,
  secrets: SecretReader,
): Promise<Finding[]> {
  const secret = settings.secrets.serviceAccount;
  const at = places.serviceAccount ?? { file: path };
  const value = await secrets.read(secret);
  if (value === undefined) return [credentialMissing(at, { secret })];
  const expected = whatIsMissing(value);
  return expected === undefined ? [] : [credentialUnreadable(at, { secret, expected })];
}

function whatIsMissing(text: string): string | undefined {
  const account = parse(text);
  if (account === undefined) return "the JSON file of a service account";
  const { client_email: email, private_key: key } = account;
  if (typeof email !== "string" || !email.includes("@")) return "the 'client_email' of an account";
  try {
    const { asymmetricKeyType } = createPrivateKey(String(key));
    return asymmetricKeyType === "rsa" ? undefined : "an RSA key as its 'private_key'";
  } catch {
    return "a readable 'private_key'";
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
