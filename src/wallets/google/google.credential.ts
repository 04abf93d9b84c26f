import type { Finding, NamedSecrets, SecretReader } from "#src/files/public.ts";
import { credentialMissing, credentialUnreadable } from "../credential.findings.ts";
import { type KeyFileFault, readKeyFile } from "./google.key-file.ts";
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
  const read = readKeyFile(value);
  if (typeof read !== "string") return [];
  return [credentialUnreadable(at, { secret, expected: EXPECTED[read] })];
}

/** What the secret should hold in place of what is wrong with it. */
const EXPECTED: Readonly<Record<KeyFileFault, string>> = {
  file: "the JSON file of a service account",
  email: "the 'client_email' of an account",
  key: "a readable 'private_key'",
  kind: "an RSA key of at least 2048 bits as its 'private_key'",
};
