import Type, { type Static } from "typebox";
import { SecretName } from "./secret-name.schema.ts";

/** `server/apple.yml`: who signs the passes for Apple Wallet. */
export const AppleSettings = Type.Object(
  {
    passTypeIdentifier: Type.String({
      pattern: "^pass\\.[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*$",
      maxLength: 200,
      description: "Use the identifier of the certificate; it begins with 'pass.'.",
    }),
    teamIdentifier: Type.String({
      pattern: "^[A-Z0-9]{10}$",
      description: "Use the team's ten capital letters and digits, as in ABCDE12345.",
    }),
    /** Names of secrets, each in PEM. */
    secrets: Type.Object(
      {
        certificate: SecretName,
        key: SecretName,
        /** Of a key that is encrypted. */
        passphrase: Type.Optional(SecretName),
        /** Where the secret of the certificate does not hold it as well. */
        intermediate: Type.Optional(SecretName),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);
export type AppleSettings = Static<typeof AppleSettings>;
