import { defineEvent } from "#kernel/events/define.ts";
import { IMPORT_EXAMPLE, ImportView } from "./file.schema.ts";

// Names and fields are a published contract: add, never rename or remove.
export const importCompleted = defineEvent({
  name: "import.completed",
  version: 1,
  summary:
    "Every row of a file was tried; `failed` says how many did not succeed. Also for a file whose contents were imported before (`duplicateOf`), and for a dry run.",
  payload: ImportView,
  example: IMPORT_EXAMPLE,
});

export const importFailed = defineEvent({
  name: "import.failed",
  version: 1,
  summary: "An import ended before every row was tried; `problem` says why.",
  payload: ImportView,
  example: {
    ...IMPORT_EXAMPLE,
    status: "error",
    rows: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    failed: 0,
    progress: 0,
    ratePerSecond: null,
    problem: "The file has no header row.",
  },
});
