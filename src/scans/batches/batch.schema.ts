import Type, { type Static } from "typebox";
import { OfflineScan, SCAN_EXAMPLE, ScanAnswer } from "../scan.schema.ts";

export const BATCH_MAX = 500;

const Misfit = Type.Record(Type.String(), Type.Unknown(), {
  title: "MisfitScan",
  description: "Anything else: refused by itself, in its place in the answer.",
});

export const BatchCreate = Type.Object(
  {
    scans: Type.Array(Type.Union([OfflineScan, Misfit]), {
      minItems: 1,
      maxItems: BATCH_MAX,
      description: `In the order in which they were made; at most ${BATCH_MAX}.`,
    }),
  },
  { additionalProperties: false, title: "ScanBatch" },
);
export type BatchCreate = Static<typeof BatchCreate>;

export const BatchResult = Type.Object(
  {
    reference: Type.Union([Type.String(), Type.Null()]),
    outcome: Type.Enum(["recorded", "repeated", "refused"], {
      description:
        "`repeated`: a scan with this reference was recorded before, and its answer is given again. `refused`: it is not as it must be, and `errors` says why; sending it again does not help.",
    }),
    conflict: Type.Boolean({
      description: "Whether the device had decided otherwise; `scan.reason` says why.",
    }),
    scan: Type.Union([ScanAnswer, Type.Null()]),
    errors: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
  },
  { title: "ScanBatchResult" },
);
export type BatchResult = Static<typeof BatchResult>;

export const BatchAnswer = Type.Object(
  { results: Type.Array(BatchResult, { description: "One for each scan, in their order." }) },
  { title: "ScanBatchAnswer" },
);
export type BatchAnswer = Static<typeof BatchAnswer>;

const REFERENCE = "till-7-000042";

export const BATCH_EXAMPLE = {
  body: {
    scans: [
      {
        data: SCAN_EXAMPLE.data,
        type: "qrcode",
        reference: REFERENCE,
        occurredAt: "2026-01-31T09:28:11Z",
        decision: "accepted",
      },
    ],
  },
  reply: {
    results: [
      {
        reference: REFERENCE,
        outcome: "recorded",
        conflict: false,
        scan: {
          ...SCAN_EXAMPLE,
          reference: REFERENCE,
          offlineDecision: "accepted",
          scannedAt: "2026-01-31T09:28:11.000Z",
        },
      },
    ],
  },
} as const;
