import { configFile, defineConfigFiles } from "#src/files/public.ts";
import { credentialFindings } from "../credential.findings.ts";
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
    findings: [...credentialFindings, pushPriority],
    check: ({ value, at }) =>
      isRefusedForm(pushForm(value)) ? [pushPriority(at(["push", "priority"]))] : [],
    checkSecrets: appleCredentialFindings,
  }),
]);
