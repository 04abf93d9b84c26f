import Type, { type Static } from "typebox";
import { secretName } from "../secret-name.schema.ts";

/** The file `server/apple.yml`: who signs the passes for Apple Wallet. */
export const AppleSettings = Type.Object(
  {
    passTypeIdentifier: Type.String({
      pattern: "^pass\\.[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*$",
      maxLength: 200,
      hint: "Use the identifier of the certificate; it begins with 'pass.'.",
      description: "The identifier that the certificate was issued for.",
      examples: ["pass.example.cafe-lune"],
    }),
    teamIdentifier: Type.String({
      pattern: "^[A-Z0-9]{10}$",
      hint: "Use the team's ten capital letters and digits, as in ABCDE12345.",
      description: "Your team at Apple.",
      examples: ["ABCDE12345"],
    }),
    secrets: Type.Object(
      {
        certificate: secretName("Holds the certificate, in PEM.", "APPLE-CERTIFICATE"),
        key: secretName("Holds its private key, in PEM.", "APPLE-KEY"),
        passphrase: Type.Optional(
          secretName("Holds the passphrase of a key that is encrypted.", "APPLE-PASSPHRASE"),
        ),
        intermediate: Type.Optional(
          secretName(
            "Holds Apple's intermediate certificate, where that of the certificate does not.",
            "APPLE-INTERMEDIATE",
          ),
        ),
      },
      {
        additionalProperties: false,
        description: "Names of the secrets, never their values.",
        examples: [{ certificate: "APPLE-CERTIFICATE", key: "APPLE-KEY" }],
      },
    ),
    push: Type.Optional(
      Type.Object(
        {
          type: Type.Optional(
            Type.Enum(["background", "alert"], {
              default: "background",
              description:
                "What Apple's push service takes pushes for. The holder sees neither; Apple may put off the former to save the battery.",
              examples: ["background"],
            }),
          ),
          priority: Type.Optional(
            Type.Enum([5, 10], {
              description:
                "`10` asks for delivery at once, which Apple allows for `alert` alone; `5` considers the battery. Without it, 10 for `alert` and 5 for `background`.",
              examples: [5],
            }),
          ),
        },
        {
          additionalProperties: false,
          description: "How phones are told that a pass has changed.",
          examples: [{ type: "alert", priority: 10 }],
        },
      ),
    ),
  },
  { additionalProperties: false },
);
export type AppleSettings = Static<typeof AppleSettings>;
