import Type, { type Static } from "typebox";
import type { ClassFacts, Facts } from "./class.facts.ts";

const Moment = Type.String({ format: "date-time" });

export const GoogleClassView = Type.Object(
  {
    classId: Type.String({
      description: "`{issuerId}.{suffix}`, as Google knows it.",
      examples: ["3388000000012345678.cafe-lune.loyalty"],
    }),
    passType: Type.String({ examples: ["loyalty"] }),
    googleType: Type.Enum([
      "loyalty",
      "offer",
      "eventTicket",
      "flight",
      "transit",
      "giftCard",
      "generic",
    ]),
    configurationVersion: Type.Integer({
      minimum: 1,
      description: "The version of the tenant's files that it was last made from.",
    }),
    reviewStatus: Type.Union([Type.String(), Type.Null()], {
      description: "What Google says of it; generic classes have none.",
    }),
    problem: Type.Union([Type.String(), Type.Null()], {
      description: "What Google answered if it did not take the class.",
    }),
    sentAt: Type.Union([Moment, Type.Null()], { description: "When Google last took it." }),
    updatedAt: Moment,
  },
  { title: "GoogleClass" },
);
export type GoogleClassView = Static<typeof GoogleClassView>;

export type GoogleClass = Omit<GoogleClassView, "sentAt" | "updatedAt"> &
  Omit<ClassFacts, "facts"> & {
    readonly contentHash: string;
    readonly members: readonly string[];
    readonly sentAt: Date | null;
    readonly updatedAt: Date;
    /** When holders of its passes were notified of its changes. */
    readonly notifiedAt: readonly Date[];
    /** As Google has them: see class.facts.ts. Null if it was not sent, or by a former release. */
    readonly facts: Facts | null;
  };

const ClassId = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "The class.",
  examples: ["3388000000012345678.cafe-lune.loyalty"],
});

export const ClassParams = Type.Object({ tenantId: Type.String(), classId: ClassId });

export const ClassSync = Type.Object(
  {
    passType: Type.String({
      minLength: 1,
      maxLength: 64,
      description: "The type whose class is made, or changed, now.",
      examples: ["loyalty"],
    }),
  },
  { additionalProperties: false, title: "GoogleClassSync" },
);

export const CLASS_EXAMPLE: GoogleClassView = {
  classId: "3388000000012345678.cafe-lune.loyalty",
  passType: "loyalty",
  googleType: "loyalty",
  configurationVersion: 7,
  reviewStatus: "UNDER_REVIEW",
  problem: null,
  sentAt: "2026-03-02T09:30:00.000Z",
  updatedAt: "2026-03-02T09:30:00.000Z",
};

export function presentClass(known: GoogleClass): GoogleClassView {
  const { classId, passType, googleType, configurationVersion, reviewStatus, problem } = known;
  const { sentAt, updatedAt } = known;
  return {
    classId,
    passType,
    googleType,
    configurationVersion,
    reviewStatus,
    problem,
    sentAt: sentAt?.toISOString() ?? null,
    updatedAt: updatedAt.toISOString(),
  };
}
