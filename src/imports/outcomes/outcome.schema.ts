import Type, { type Static } from "typebox";

export const OUTCOMES = ["created", "updated", "unchanged", "failed"] as const;
export type OutcomeKind = (typeof OUTCOMES)[number];

/** It tells of nobody, so it stays when what is known of the pass goes. */
export const DELETED_MESSAGE = "The pass was deleted.";
/** By it an import is known that must not be repeated without need. */
export const TOLD_MESSAGE = "The message was sent to its holder.";

const Row = Type.Integer({
  minimum: 1,
  description: "Which row of data it is: the first one after the header is 1.",
});
const Line = Type.Integer({
  minimum: 1,
  description: "Where the row begins in the file, as a spreadsheet counts: the header is line 1.",
});

/** What became of one row, as callers see it. */
export const OutcomeView = Type.Object(
  {
    row: Row,
    line: Line,
    outcome: Type.Enum([...OUTCOMES], {
      description:
        "What became of the pass of this row. A pass that was disabled, deleted or notified counts as `updated`.",
    }),
    passId: Type.Union([Type.String(), Type.Null()], {
      description:
        "The pass; null where there is none, as in a dry run that would create it, or if the row failed before one was found.",
    }),
    identifiers: Type.Record(Type.String(), Type.String(), {
      description: "The identifiers that the row names; empty since the pass was erased.",
    }),
    message: Type.Union([Type.String(), Type.Null()], {
      description: "Why the row failed, or what else to know about it.",
    }),
  },
  { title: "ImportOutcome" },
);
export type OutcomeView = Static<typeof OutcomeView>;

export type Outcome = {
  readonly row: number;
  readonly line: number;
  readonly outcome: OutcomeKind;
  readonly passId: string | null;
  readonly identifiers: Readonly<Record<string, string>>;
  readonly message: string | null;
};

/** Which pass a row means: the one with this id, or of this type with the identifiers of the row. */
export type MeantPass = {
  readonly passId: string | undefined;
  readonly passType: string | undefined;
};

/** An outcome that is not written down yet. */
export type NewOutcome = Outcome & {
  /** If the row failed and its pass is not known. */
  readonly means?: MeantPass;
};

export function presentOutcome(outcome: Outcome): OutcomeView {
  const { row, line, passId, identifiers, message } = outcome;
  return { row, line, outcome: outcome.outcome, passId, identifiers: { ...identifiers }, message };
}

export const OUTCOME_EXAMPLE: OutcomeView = {
  row: 2,
  line: 3,
  outcome: "failed",
  passId: null,
  identifiers: { "loyalty.number": "40012345" },
  message: "The column 'additionalData.points' takes a number, and 'many' is none.",
};
