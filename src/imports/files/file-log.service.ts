import { Readable } from "node:stream";
import type { TenantContext } from "#kernel/context.ts";
import { validationProblem } from "#kernel/errors.ts";
import type { ListInput } from "#kernel/http/lists/list-page.ts";
import type { Answer } from "#kernel/http/route.ts";
import { logHead, logLine } from "../outcomes/outcome.csv.ts";
import { listOutcomesAfter, listOutcomesPage } from "../outcomes/outcome.repository.ts";
import type { OutcomeKind } from "../outcomes/outcome.schema.ts";
import type { ImportFile } from "./file.schema.ts";

/** Lines that are read from the database, and held in memory, at once. */
const LINES_MAX = 1_000;

/** One page of what became of the rows, in the order of the file. */
export function listOutcomes(
  context: TenantContext,
  file: ImportFile,
  outcome: OutcomeKind | undefined,
  input: ListInput,
): Promise<Answer> {
  const total = outcome === undefined ? file.rows : file[outcome];
  return listOutcomesPage(context, file.id, outcome, total, input);
}

/** The whole log as CSV, read while it is sent. Rows are only ever added at its end. Without a file, its head alone. */
export function streamLog(
  context: TenantContext,
  file: ImportFile | undefined,
  outcome: OutcomeKind | undefined,
  { list }: Pick<ListInput, "list">,
): Readable {
  if (!list.isDefault) {
    const only = "The CSV is the whole log: only 'outcome' makes it shorter.";
    throw validationProblem({ filter: [only] });
  }
  return Readable.from(file === undefined ? [logHead([])] : logPieces(context, file, outcome));
}

async function* logPieces(
  context: TenantContext,
  { id, identifierNames }: ImportFile,
  outcome: OutcomeKind | undefined,
): AsyncGenerator<string> {
  yield logHead(identifierNames);
  for (let after = 0; ; ) {
    const outcomes = await listOutcomesAfter(context, id, after, outcome, LINES_MAX);
    if (outcomes.length > 0) {
      yield outcomes.map((line) => logLine(line, identifierNames)).join("");
    }
    if (outcomes.length < LINES_MAX) return;
    after = outcomes.at(-1)?.row ?? after;
  }
}
