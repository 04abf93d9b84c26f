import {
  configFile,
  defineConfigFiles,
  defineFinding,
  type FilesAround,
  type Finding,
  type FittingFile,
} from "#src/files/public.ts";
import { templatePath } from "#src/templates/language/public.ts";
import { IMPORT_FILE, ImportMapping } from "./import.schema.ts";

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

function checkImport({ value, at }: FittingFile<ImportMapping>, around: FilesAround): Finding[] {
  const { passType, columns = {} } = value;
  const findings: Finding[] = [];
  if (passType !== undefined && !around.has(templatePath(passType))) {
    findings.push(importUnknownPassType(at(["passType"]), { passType }));
  }
  const filled = new Set<string>();
  for (const [header, target] of Object.entries(columns)) {
    if (filled.has(target)) {
      findings.push(importDuplicateTarget(at(["columns", header]), { target }));
    }
    if (target !== "ignore") filled.add(target);
  }
  return findings;
}

export const configFiles = defineConfigFiles([
  configFile({
    path: IMPORT_FILE,
    schema: ImportMapping,
    about:
      "What the columns of imported files mean. A column that is not named here means what its header says ([imports](imports.md)).",
    example: "passType: loyalty\ncolumns:\n  Card number: identifiers.loyalty.number\n",
    findings: [importDuplicateTarget, importUnknownPassType],
    check: checkImport,
  }),
]);
