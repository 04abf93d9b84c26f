import Type, { type Static } from "typebox";
import { type Decimal, decimalSent, parseDecimal, unitsOf } from "#kernel/decimal.ts";
import type { Members } from "#kernel/members.ts";
import { CODE_LENGTH_MAX, CODE_LENGTH_MIN } from "#src/content/public.ts";
import { MomentSent, PassStatus } from "#src/passes/public.ts";
import { MovementView, PrivilegeView } from "#src/privileges/public.ts";
import { PRIVILEGE_ID } from "#src/templates/public.ts";

const closed = { additionalProperties: false } as const;
const Moment = Type.String({ format: "date-time" });
const maybe = <Schema extends Type.TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

const ID_EXAMPLE = "sc_0VfQm3Ks00x7Rk2LwPq9Zt";
const PASS_EXAMPLE_ID = "ps_0VfQm3Ks00x7Rk2LwPq9Zt";
const DEVICE_EXAMPLE = "dev_0VfQm3Ks00x7Rk2LwPq9Zt";

export const SCAN_TYPES = [
  "qrcode",
  "pdf417",
  "code128",
  "ean13",
  "datamatrix",
  "nfc",
  "manual",
  "aztec",
] as const;

export const REASONS = [
  "unknown-code",
  "disabled",
  "expired",
  "not-yet-valid",
  "already-redeemed",
  "insufficient-value",
  "unknown-privilege",
  "locked-privilege",
  "wrong-pass-type",
] as const;
export type Reason = (typeof REASONS)[number];

export const DECISIONS = ["accepted", "rejected"] as const;
export type Decision = (typeof DECISIONS)[number];

const ScanType = Type.Enum([...SCAN_TYPES], {
  description: "How it was read: the kind of code, `nfc`, or `manual` if somebody typed it.",
  examples: ["qrcode"],
});
const DecisionSchema = Type.Enum([...DECISIONS]);

const RedeemSent = Type.Object(
  {
    privilegeId: Type.String({ ...PRIVILEGE_ID, examples: ["coffee"] }),
    amount: Type.Refine(
      decimalSent({
        description:
          "How much to redeem: above zero, an exact decimal of at most 15 digits before the point and 4 after it.",
        examples: [1],
      }),
      (sent) => isPositive(parseDecimal(sent)),
      () => "must be above zero",
    ),
  },
  { ...closed, title: "ScanRedemption" },
);

function isPositive(decimal: Decimal | undefined): boolean {
  return decimal === undefined || unitsOf(decimal) > 0n;
}

const sent = {
  data: Type.String({
    minLength: CODE_LENGTH_MIN,
    maxLength: CODE_LENGTH_MAX,
    description:
      "What was read, without any change: it is compared exactly, so a blank or a newline more is another code. Counted in Unicode characters (code points). NUL and halves of surrogate pairs are refused.",
    examples: [PASS_EXAMPLE_ID],
  }),
  type: ScanType,
  deviceId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        "The device that read it; it must exist. A device that calls with its own key need not name itself, and cannot name another.",
      examples: [DEVICE_EXAMPLE],
    }),
  ),
  location: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Where it was read, in your words.",
      examples: ["Gate 4"],
    }),
  ),
  reference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Your own number of it, such as a receipt.",
      examples: ["receipt-4711"],
    }),
  ),
  occurredAt: Type.Optional({
    ...MomentSent,
    description:
      "When it was read, kept as `scannedAt`: at most five minutes ahead, and then it counts as now. Validity is judged by now.",
  }),
  redeem: Type.Optional(RedeemSent),
};

export const ScanCreate = Type.Object(
  {
    ...sent,
    dryRun: Type.Optional(
      Type.Boolean({
        description:
          "Answers what would happen. Nothing is recorded, moved or told to anybody. Default: false.",
      }),
    ),
  },
  { ...closed, title: "ScanCreate" },
);
export type ScanCreate = Static<typeof ScanCreate>;

/** A scan that was made without network. */
export const OfflineScan = Type.Object(
  {
    ...sent,
    reference: Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        "The device's own number of the scan. Sent twice, it is recorded once, and answered again; with other `data` than the first time, it is refused.",
      examples: ["till-7-000042"],
    }),
    occurredAt: Type.Optional({
      ...MomentSent,
      description:
        "When it was read, at most seven days ago and five minutes ahead; ahead counts as now. The validity of the pass and of the privilege is judged by it.",
    }),
    decision: Type.Optional(
      Type.Enum([...DECISIONS], { description: "What the device decided by itself." }),
    ),
  },
  { ...closed, title: "OfflineScan" },
);
export type OfflineScan = Static<typeof OfflineScan>;

export const ScannedPass = Type.Object(
  {
    id: Type.String(),
    passType: Type.String(),
    status: PassStatus,
    identifiers: Type.Record(Type.String(), Type.String()),
    displayName: maybe(
      Type.String(),
      "Whose pass it is: what its template says of the member, holder or passenger, else its first primary field, else its first identifier.",
    ),
  },
  { title: "ScannedPass" },
);
export type ScannedPass = Static<typeof ScannedPass>;

const shown = {
  matched: Type.Boolean({ description: "Whether the code belongs to a pass." }),
  decision: DecisionSchema,
  reason: maybe(
    Type.Enum([...REASONS]),
    "Why it was rejected; null if it was accepted. `expired` and `not-yet-valid` are said of the pass or of the privilege to redeem; `unknown-privilege` and `locked-privilege` of the latter.",
  ),
  passId: maybe(Type.String()),
  pass: maybe(ScannedPass, "The pass as it was then; null if it is unknown or was erased."),
  privileges: Type.Array(PrivilegeView, {
    description: "The privileges of the pass, after the movement if there was one.",
  }),
  movement: Type.Optional(MovementView),
  data: maybe(Type.String(), "What was read; null since the pass was erased."),
  type: ScanType,
  deviceId: maybe(Type.String()),
  location: maybe(Type.String()),
  reference: maybe(Type.String()),
  conflict: Type.Boolean({
    description: "Whether a device without network had decided otherwise.",
  }),
  offlineDecision: maybe(DecisionSchema, "What that device had decided."),
  scannedAt: Type.String({
    format: "date-time",
    description:
      "When it was read: `occurredAt` if it was sent and is not ahead, else when it arrived.",
  }),
};

const ScanId = Type.String({ examples: [ID_EXAMPLE] });

/** A recorded scan, as the API and events show it. */
export const ScanResource = Type.Object(
  { scanId: ScanId, ...shown, recordedAt: Moment },
  { title: "Scan" },
);
export type ScanResource = Static<typeof ScanResource>;

export const ScanAnswer = Type.Object(
  {
    scanId: maybe(ScanId, "Null for a dry run."),
    ...shown,
    recordedAt: maybe(Moment, "When it arrived; null for a dry run."),
    duplicateOf: Type.Optional(
      Type.String({
        description: "The same scan came before: this is the answer that it got.",
      }),
    ),
    dryRun: Type.Optional(Type.Literal(true)),
  },
  { title: "ScanAnswer" },
);
export type ScanAnswer = Static<typeof ScanAnswer>;

export const ScanParams = Type.Object({
  tenantId: Type.String(),
  scanId: Type.String({ description: "The scan.", examples: [ID_EXAMPLE] }),
});

/** What the caller saw, kept as it was shown. */
export type ScanOutcome = {
  readonly pass: ScannedPass | null;
  readonly privileges: readonly PrivilegeView[];
  readonly movement: MovementView | null;
};

export type Scan = {
  readonly id: string;
  readonly data: string | null;
  readonly type: ScanCreate["type"];
  readonly scanner: string;
  readonly deviceId: string | null;
  readonly passId: string | null;
  readonly about: string;
  readonly decision: Decision;
  readonly reason: Reason | null;
  readonly offlineDecision: Decision | null;
  readonly isOffline: boolean;
  readonly conflict: boolean;
  readonly location: string | null;
  readonly reference: string | null;
  readonly wish: string | null;
  readonly outcome: ScanOutcome;
  readonly scannedAt: Date;
  readonly recordedAt: Date;
};

export const SCAN_MEMBERS = {
  id: { column: "id", type: "text", written: "insert" },
  data: { column: "data", type: "text", written: "insert" },
  type: { column: "type", type: "text", written: "insert" },
  scanner: { column: "scanner", type: "text", written: "insert" },
  deviceId: { column: "device_id", type: "text", written: "insert" },
  passId: { column: "pass_id", type: "text", written: "insert" },
  about: { column: "about", type: "text", written: "insert" },
  decision: { column: "decision", type: "text", written: "insert" },
  reason: { column: "reason", type: "text", written: "insert" },
  offlineDecision: { column: "offline_decision", type: "text", written: "insert" },
  isOffline: { column: "is_offline", type: "boolean", written: "insert" },
  conflict: { column: "conflict", type: "boolean", written: "insert" },
  location: { column: "location", type: "text", written: "insert" },
  reference: { column: "reference", type: "text", written: "insert" },
  wish: { column: "wish", type: "text", written: "insert" },
  outcome: { column: "outcome", type: "jsonb", written: "insert" },
  scannedAt: { column: "scanned_at", type: "timestamptz", written: "insert" },
  recordedAt: { column: "recorded_at", type: "timestamptz", written: "insert" },
} as const satisfies Members<Scan>;

export function presentScan(scan: Scan): ScanResource {
  const { pass, privileges, movement } = scan.outcome;
  return {
    scanId: scan.id,
    matched: scan.passId !== null,
    decision: scan.decision,
    reason: scan.reason,
    passId: scan.passId,
    pass,
    privileges: [...privileges],
    ...(movement === null ? {} : { movement }),
    data: scan.data,
    type: scan.type,
    deviceId: scan.deviceId,
    location: scan.location,
    reference: scan.reference,
    conflict: scan.conflict,
    offlineDecision: scan.offlineDecision,
    scannedAt: scan.scannedAt.toISOString(),
    recordedAt: scan.recordedAt.toISOString(),
  };
}

/** Scans never change, except that they are erased with their pass. */
export function versionOf({ id, data }: Scan): string {
  return data === null ? `${id}.erased` : id;
}

export const SCAN_EXAMPLE: ScanResource = {
  scanId: ID_EXAMPLE,
  matched: true,
  decision: "accepted",
  reason: null,
  passId: PASS_EXAMPLE_ID,
  pass: {
    id: PASS_EXAMPLE_ID,
    passType: "loyalty",
    status: "active",
    identifiers: { "loyalty.number": "40012345" },
    displayName: "Camille",
  },
  privileges: [],
  data: PASS_EXAMPLE_ID,
  type: "qrcode",
  deviceId: null,
  location: "Gate 4",
  reference: null,
  conflict: false,
  offlineDecision: null,
  scannedAt: "2026-01-31T09:30:00.000Z",
  recordedAt: "2026-01-31T09:30:00.000Z",
};
