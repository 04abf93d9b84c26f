import Type, { type Static } from "typebox";
import { CODE_LENGTH } from "./pairing.code.ts";

export const PAIRING_MINUTES = 10;

const strict = { additionalProperties: false } as const;

export const PairingView = Type.Object(
  {
    code: Type.String({
      minLength: CODE_LENGTH,
      maxLength: CODE_LENGTH,
      description: `${CODE_LENGTH} letters and digits, without those that look alike. It is shown here and never again.`,
    }),
    expiresAt: Type.String({ format: "date-time" }),
    url: Type.String({
      format: "uri",
      description:
        "The scanner page with the code: opened on the device, or scanned as a QR code, it pairs at once.",
    }),
  },
  { title: "Pairing" },
);
export type PairingView = Static<typeof PairingView>;

/** Longer than a code, because people put spaces and hyphens into what they type. */
export const PairingRequest = Type.Object(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 32,
      description: "As it was shown. Case, spaces and hyphens make no difference.",
      examples: ["K7QZ2M"],
    }),
  },
  { ...strict, title: "PairingRequest" },
);
export type PairingRequest = Static<typeof PairingRequest>;

export const PAIRING_EXAMPLE: PairingView = {
  code: "K7QZ2M",
  expiresAt: "2026-03-02T09:40:00.000Z",
  url: "https://passes.example.com/scan#K7QZ2M",
};
