import Type, { type Static } from "typebox";

/**
 * The contents of `server/import.yml`: what the columns of uploaded files mean. A column that is
 * not listed there is matched by its header, if the header is the name of a target.
 */

export const IMPORT_ACTIONS = ["upsert", "update", "disable", "delete", "notify"] as const;

const Target = Type.String({
  pattern:
    "^(passType|action|ignore|identifiers\\.[\\w-]+\\.[\\w.-]+|additionalData\\.[\\w-]+|privileges\\.[\\w.-]+)$",
  maxLength: 200,
  hint: "Use passType, action, identifiers.<source>.<name>, additionalData.<name>, privileges.<id> or ignore.",
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
        description: "For rows without an action of their own.",
        examples: ["upsert"],
      }),
    ),
    columns: Type.Optional(
      Type.Record(Type.String({ minLength: 1 }), Target, {
        description:
          "What a column fills, by its header: passType, action, identifiers.…, additionalData.…, privileges.… or ignore.",
        examples: [{ "Card number": "identifiers.loyalty.number" }],
      }),
    ),
  },
  { additionalProperties: false },
);
export type ImportMapping = Static<typeof ImportMapping>;
