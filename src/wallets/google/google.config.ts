import type { Clock } from "#kernel/clock.ts";
import {
  configFile,
  defineConfigFiles,
  type Finding,
  type NamedSecrets,
  type SecretReader,
} from "#src/files/public.ts";
import { credentialMissing, credentialUnreadable } from "../credential.findings.ts";
import { googleAddressFindings, googleImagesUnreachable } from "../wallet.address.ts";
import { googleCredentialFindings } from "./google.credential.ts";
import { isSimulatedAddress, readKeyFile } from "./google.key-file.ts";
import { GoogleSettings } from "./google.schema.ts";

export const configFiles = defineConfigFiles([
  configFile({
    path: "server/google.yml",
    schema: GoogleSettings,
    about: "Who issues passes for Google Wallet.",
    example:
      'issuerId: "3388000000012345678"\nsecrets: { serviceAccount: GOOGLE-SERVICE-ACCOUNT }\n',
    findings: [credentialMissing, credentialUnreadable, googleImagesUnreachable],
    checkSecrets: checkGoogle,
  }),
]);

/** The address matters only to an account of Google's: a simulator on this machine reaches it. */
async function checkGoogle(
  file: NamedSecrets<GoogleSettings>,
  secrets: SecretReader,
  _clock: Clock,
  baseUrl?: string,
): Promise<Finding[]> {
  const findings = await googleCredentialFindings(file, secrets);
  if (baseUrl === undefined || findings.length > 0) return findings;
  const read = readKeyFile((await secrets.read(file.settings.secrets.serviceAccount)) ?? "");
  if (typeof read === "string" || isSimulatedAddress(read.clientEmail)) return findings;
  return googleAddressFindings(baseUrl, { file: file.path });
}
