import { configFile, defineConfigFiles } from "#src/files/public.ts";
import { credentialMissing, credentialUnreadable } from "../credential.findings.ts";
import { googleCredentialFindings } from "./google.credential.ts";
import { GoogleSettings } from "./google.schema.ts";

export const configFiles = defineConfigFiles([
  configFile({
    path: "server/google.yml",
    schema: GoogleSettings,
    about: "Who issues passes for Google Wallet.",
    example:
      'issuerId: "3388000000012345678"\nsecrets: { serviceAccount: GOOGLE-SERVICE-ACCOUNT }\n',
    findings: [credentialMissing, credentialUnreadable],
    checkSecrets: googleCredentialFindings,
  }),
]);
