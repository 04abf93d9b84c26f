import { configFile, defineConfigFiles } from "#src/files/public.ts";
import { checkEnrolment, enrolmentFindings } from "./settings.check.ts";
import { ENROLMENT_FILE, EnrolmentSettings } from "./settings.schema.ts";

export const configFiles = defineConfigFiles([
  configFile({
    path: ENROLMENT_FILE,
    schema: EnrolmentSettings,
    about: "Which passes people can get by a public form, and what it asks them.",
    example:
      "passTypes:\n  loyalty:\n    title: { en: Join the Gold Club, fr: Rejoignez le Gold Club }\n    fields:\n      - { member: firstName }\n      - { member: email, required: true }\n    consents:\n      - { id: terms, text: I agree to the rules., required: true, url: https://cafe-lune.example/rules }\n    identifiers: { loyalty.number: { digits: 10 } }\n",
    findings: enrolmentFindings,
    check: checkEnrolment,
  }),
]);
