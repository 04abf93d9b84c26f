import Type, { type Static } from "typebox";
import { secretName } from "../secret-name.schema.ts";

/** The file `server/google.yml`: who issues the passes for Google Wallet. */
export const GoogleSettings = Type.Object(
  {
    issuerId: Type.String({
      pattern: "^[0-9]{1,20}$",
      hint: "Use the number of the issuer, in quotes: it has digits only.",
      description: "Your issuer account at Google Wallet.",
      examples: ["3388000000012345678"],
    }),
    secrets: Type.Object(
      {
        serviceAccount: secretName(
          "Holds the file of the service account's key, which is JSON.",
          "GOOGLE-SERVICE-ACCOUNT",
        ),
      },
      {
        additionalProperties: false,
        description: "Names of the secrets, never their values.",
        examples: [{ serviceAccount: "GOOGLE-SERVICE-ACCOUNT" }],
      },
    ),
  },
  { additionalProperties: false },
);
export type GoogleSettings = Static<typeof GoogleSettings>;
