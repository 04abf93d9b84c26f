import Type from "typebox";
import { closed, optionalText, text } from "./field.ts";

/** What a pass does near a reader or a beacon. */

/** Both wallets look at so many at most. */
export const BEACONS_MAX = 10;
const MAJOR_MAX = 65_535;
const REDEMPTION_ISSUERS_MAX = 20;

export const Nfc = Type.Object(
  {
    message: text(
      "What a reader is told when the phone is held to it; at most 64 bytes on Apple.",
      "{{ pass.id }}",
    ),
    encryptionPublicKey: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description:
          "The public key of your readers for Apple, which has no NFC without it: SubjectPublicKeyInfo of a compressed P-256 key, in base64.",
        examples: [
          "MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgACw1qxr2QD6V4TCgcp4lw8nhMdd9hWh/ho7DgGzKFCDKA=",
        ],
      }),
    ),
    requiresAuthentication: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether the holder of an iPhone must unlock it first.",
        examples: [true],
      }),
    ),
    redemptionIssuers: Type.Optional(
      Type.Array(
        Type.String({
          pattern: "^[0-9]{1,20}$",
          hint: "Use the number of an issuer, in quotes: it has digits only.",
        }),
        {
          minItems: 1,
          maxItems: REDEMPTION_ISSUERS_MAX,
          uniqueItems: true,
          description:
            "The issuers whose readers may take the pass by Google Smart Tap; Google has no NFC without them.",
          examples: [["3388000000012345678"]],
        },
      ),
    ),
  },
  {
    ...closed,
    description: "What the phone tells a reader that it is held to.",
    examples: [{ message: "{{ pass.id }}", redemptionIssuers: ["3388000000012345678"] }],
  },
);

const number = (description: string, example: number) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: MAJOR_MAX, description, examples: [example] }));

export const TemplateBeacon = Type.Object(
  {
    uuid: Type.String({
      pattern: "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
      hint: "Write it as in 6e9e7d2a-6f3c-4b53-9c2b-0b4c2f3a1d11.",
      description: "The proximity UUID of the beacon.",
      examples: ["6e9e7d2a-6f3c-4b53-9c2b-0b4c2f3a1d11"],
    }),
    major: number("Its major number, such as that of a building.", 1),
    minor: number("Its minor number, such as that of a door.", 7),
    text: optionalText("Shown on the lock screen when the holder is near.", "Your table is ready"),
  },
  { ...closed, title: "Beacon" },
);
