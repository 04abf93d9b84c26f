import Type, { type Static } from "typebox";
import { SecretName } from "./secret-name.schema.ts";

/** `server/google.yml`: who issues the passes for Google Wallet. */
export const GoogleSettings = Type.Object(
  {
    issuerId: Type.String({
      pattern: "^[0-9]{1,20}$",
      description: "Use the number of the issuer, in quotes: it has digits only.",
    }),
    secrets: Type.Object(
      {
        /** Holds the file of the service account's key, which is JSON. */
        serviceAccount: SecretName,
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);
export type GoogleSettings = Static<typeof GoogleSettings>;
