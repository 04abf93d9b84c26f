import type { Clock } from "#kernel/clock.ts";
import {
  configFile,
  defineConfigFiles,
  type Finding,
  type NamedSecrets,
  type SecretReader,
} from "#src/files/public.ts";
import { credentialFindings, preventsSigning } from "../credential.findings.ts";
import { appleAddressFindings, appleServiceUnreachable } from "../wallet.address.ts";
import { appleCredentialFindings } from "./apple.credential.ts";
import { pushPriority } from "./apple.findings.ts";
import { isRefusedForm, pushForm } from "./apple.push-form.ts";
import { AppleSettings } from "./apple.schema.ts";

export const configFiles = defineConfigFiles([
  configFile({
    path: "server/apple.yml",
    schema: AppleSettings,
    about: "Who signs passes for Apple Wallet.",
    example:
      "passTypeIdentifier: pass.example.cafe-lune\nteamIdentifier: ABCDE12345\nsecrets: { certificate: APPLE-CERTIFICATE, key: APPLE-KEY }\n",
    findings: [...credentialFindings, appleServiceUnreachable, pushPriority],
    check: ({ value, at }) =>
      isRefusedForm(pushForm(value)) ? [pushPriority(at(["push", "priority"]))] : [],
    checkSecrets: checkApple,
  }),
]);

/** The address matters only to passes that a stored certificate signs: others reach no real phone. */
async function checkApple(
  file: NamedSecrets<AppleSettings>,
  secrets: SecretReader,
  clock: Clock,
  baseUrl?: string,
): Promise<Finding[]> {
  const findings = await appleCredentialFindings(file, secrets, clock);
  if (baseUrl === undefined || findings.some(preventsSigning)) return findings;
  return [...findings, ...appleAddressFindings(baseUrl, { file: file.path })];
}
