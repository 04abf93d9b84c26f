import Type, { type Static } from "typebox";
import { PRIVILEGE_ID } from "#src/templates/public.ts";

export const PAGE_PASSES_MAX = 1_000;
export const PAGE_PASSES_DEFAULT = 500;
const PASS_TYPES_LENGTH_MAX = 1_000;

const GATE_REASONS = [
  "disabled",
  "expired",
  "not-yet-valid",
  "already-redeemed",
  "insufficient-value",
  "unknown-privilege",
  "locked-privilege",
] as const;
export type GateReason = (typeof GATE_REASONS)[number];

const Moment = Type.String({ format: "date-time" });
const MaybeMoment = (description: string) => Type.Union([Moment, Type.Null()], { description });

export const GateListQuery = Type.Object(
  {
    passType: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: PASS_TYPES_LENGTH_MAX,
        description:
          "The types of passes that the gate accepts, separated by commas. Without it, those of the device's settings, or else all. A device whose settings name types gets no others.",
        examples: ["loyalty"],
      }),
    ),
    privilegeId: Type.Optional(
      Type.String({
        ...PRIVILEGE_ID,
        description:
          "The privilege that the gate redeems: passes without enough of it are rejected. Without it, that of the device's settings.",
        examples: ["entry"],
      }),
    ),
    amount: Type.Optional(
      Type.String({
        pattern: "^(?=.*[1-9])[0-9]{1,15}(\\.[0-9]{1,4})?$",
        mustBe: "a number above zero with at most 15 digits before the point and 4 after it",
        description: "How much of the privilege a scan redeems. Default: 1.",
        examples: ["1"],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAGE_PASSES_MAX,
        description: `How many passes are looked at for a page. Default: ${PAGE_PASSES_DEFAULT}.`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 16_384,
        description: "`next` of the page before.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type GateListQuery = Static<typeof GateListQuery>;

export const GateEntry = Type.Object(
  {
    codes: Type.Array(Type.String(), {
      minItems: 1,
      description:
        "One hash for each code that finds the pass: the first 16 bytes of SHA-256 over the salt and the code, in base64url. The first one is that of the pass id and names the pass within this list.",
    }),
    state: Type.Enum(["accepted", "rejected"], {
      description: "As of `issuedAt`, or later.",
    }),
    reason: Type.Union([Type.Enum([...GATE_REASONS]), Type.Null()], {
      description: "Why it is rejected. `not-yet-valid` ends at `validFrom`; the others stay.",
    }),
    validFrom: MaybeMoment("Before this time the pass is rejected: `not-yet-valid`."),
    validUntil: MaybeMoment("From this time on the pass is rejected: `expired`."),
  },
  { title: "GateEntry" },
);
export type GateEntry = Static<typeof GateEntry>;

/** The payload of the signature. Documented in docs/devices.md, because OpenAPI cannot say it. */
export type GateHead = {
  readonly iss: string;
  readonly tenantId: string;
  readonly listId: string;
  readonly page: number;
  readonly isLast: boolean;
  readonly salt: string;
  readonly passTypes: readonly string[] | null;
  readonly redeem: { readonly privilegeId: string; readonly amount: string } | null;
  readonly issuedAt: string;
  readonly renewedAt: string;
  readonly expiresAt: string;
  readonly count: number;
  readonly digest: string;
  readonly previous: string | null;
};

export const GateListPage = Type.Object(
  {
    head: Type.String({
      description:
        "A compact JWS (ES256). Its payload says which list this is, its salt, when it expires and the digest of `entries`.",
    }),
    entries: Type.Array(GateEntry),
    next: Type.Union([Type.String(), Type.Null()], {
      description: "The `cursor` of the next page; null after the last one.",
    }),
    keysUrl: Type.String({
      format: "uri",
      description: "Where the public keys are. Trust the address you know, not one you were sent.",
    }),
  },
  { title: "GateListPage" },
);
export type GateListPage = Static<typeof GateListPage>;

export const GateKeys = Type.Object(
  { keys: Type.Array(Type.Record(Type.String(), Type.Unknown())) },
  { title: "GateKeys", description: "A JSON Web Key Set (RFC 7517)." },
);

export const PAGE_EXAMPLE: GateListPage = {
  head: "eyJhbGciOiJFUzI1NiIsImtpZCI6Ik…",
  entries: [
    {
      codes: ["pR1xS0bHk3yU0dZr8o2mXQ", "0Vw3o1JcD0m0c8r1m0XyAg"],
      state: "accepted",
      reason: null,
      validFrom: null,
      validUntil: "2026-12-31T23:00:00.000Z",
    },
  ],
  next: null,
  keysUrl: "https://passes.example.com/.well-known/billfold/cafe-lune/gate-keys",
};
