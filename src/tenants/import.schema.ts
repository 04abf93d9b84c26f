import Type, { type Static } from "typebox";
import { defineFinding, type Finding, type FindingKind } from "./finding.ts";
import type { YamlFile } from "./yaml-file.ts";
import { checkYaml } from "./yaml-schema.ts";

/**
 * `server/import.yml`: what the columns of dropped files mean. A column that is not named here means
 * what its header says, where that is the name of a target.
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

const importDuplicateTarget = defineFinding<{ readonly target: string }>({
  code: "import.duplicate-target",
  severity: "error",
  summary: "Two columns are to fill the same value.",
  hint: "Keep one of the two, and map the other to 'ignore'.",
  message: ({ target }) => `A second column is mapped to '${target}'.`,
});

const importUnknownPassType = defineFinding<{ readonly passType: string }>({
  code: "import.unknown-pass-type",
  severity: "error",
  summary: "Rows are to become passes of a type that has no template.",
  hint: "Use the name of a file in server/passes, without '.yml'.",
  message: ({ passType }) => `There is no template '${passType}'.`,
});

export const importFindings: readonly FindingKind[] = [
  importDuplicateTarget,
  importUnknownPassType,
];

export function checkImport(
  path: string,
  file: YamlFile,
  hasPassType: (passType: string) => boolean,
): Finding[] {
  const wrong = checkYaml(path, file, ImportMapping);
  if (wrong.length > 0) return wrong;
  const { passType, columns = {} } = file.value as ImportMapping;
  const findings: Finding[] = [];
  if (passType !== undefined && !hasPassType(passType)) {
    findings.push(importUnknownPassType({ file: path, ...file.at(["passType"]) }, { passType }));
  }
  const filled = new Set<string>();
  for (const [header, target] of Object.entries(columns)) {
    if (filled.has(target)) {
      const place = { file: path, ...file.at(["columns", header]) };
      findings.push(importDuplicateTarget(place, { target }));
    }
    if (target !== "ignore") filled.add(target);
  }
  return findings;
}
