import Type, { type Static } from "typebox";

/**
 * The contents of `server/import.yml`: what the columns of uploaded files mean. A column that is
 * not listed there is matched by its header, if the header is the name of a target.
 */

export const IMPORT_FILE = "server/import.yml";

export const IMPORT_ACTIONS = ["upsert", "update", "disable", "delete", "notify"] as const;
export type ImportAction = (typeof IMPORT_ACTIONS)[number];

/** The targets that stand for one thing each. The others are followed by a name. */
export const PLAIN_TARGETS = [
  "passType",
  "action",
  "passId",
  "status",
  "expirationDate",
  "notification.title",
  "notification.content",
  "ignore",
] as const;
export type PlainTarget = (typeof PLAIN_TARGETS)[number];

const NAMED_TARGETS = [
  "identifiers\\.[\\w-]+\\.[\\w.-]+",
  "additionalData\\.[\\w-]+",
  "privileges\\.[\\w.-]+",
];
const plainPattern = PLAIN_TARGETS.map((target) => target.replace(".", "\\."));
const TARGET_PATTERN = `^(${[...plainPattern, ...NAMED_TARGETS].join("|")})$`;

const Target = Type.String({
  pattern: TARGET_PATTERN,
  maxLength: 200,
  hint: `Use identifiers.<source>.<name>, additionalData.<name>, privileges.<id>, ${PLAIN_TARGETS.slice(0, -1).join(", ")} or ignore.`,
});

export const ImportMapping = Type.Object(
  {
    delimiter: Type.Optional(
      Type.Enum([";", ",", "\t"], {
        description: "What stands between columns; found out by itself where it is not given.",
        examples: [";"],
      }),
    ),
    passType: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "For rows without a pass type of their own.",
        examples: ["loyalty"],
      }),
    ),
    action: Type.Optional(
      Type.Enum([...IMPORT_ACTIONS], {
        default: "upsert",
        description: "For rows without an action of their own.",
        examples: ["update"],
      }),
    ),
    emptyCells: Type.Optional(
      Type.Enum(["keep", "clear"], {
        default: "keep",
        description:
          "What an empty cell of a CSV file does: `keep` leaves what the pass has, `clear` deletes it.",
        examples: ["clear"],
      }),
    ),
    decimalComma: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether numbers are written as 1.234,5 and not as 1234.5.",
        examples: [true],
      }),
    ),
    columns: Type.Optional(
      Type.Record(Type.String({ minLength: 1 }), Target, {
        description:
          "What a column fills, by its header; `ignore` for one that means nothing. docs/imports.md tells what each target takes.",
        examples: [{ "Card number": "identifiers.loyalty.number" }],
      }),
    ),
  },
  { additionalProperties: false },
);
export type ImportMapping = Static<typeof ImportMapping>;
