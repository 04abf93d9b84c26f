import { Readable } from "node:stream";
import type { TenantContext } from "#kernel/context.ts";
import { mappingGroundOf } from "../mapping/mapping.service.ts";
import { type FailedRow, failedRowsWriting } from "../outcomes/failed-rows.ts";
import { listOutcomesAfter } from "../outcomes/outcome.repository.ts";
import type { Outcome } from "../outcomes/outcome.schema.ts";
import type { Format } from "../rows/format.ts";
import { type ReadingOptions, readRows } from "../rows/read-rows.ts";
import type { Header, SourceRow } from "../rows/source-row.ts";
import { UnreadableFile } from "../unreadable-file.ts";
import { importContentsGone } from "./file.errors.ts";
import type { ImportFile } from "./file.schema.ts";
import { readFileChunks } from "./file.service.ts";

/** Outcomes that are read from the database at once. */
const OUTCOMES_MAX = 1_000;

type Batch = readonly SourceRow[];
type FailedRows = { readonly type: string; readonly body: Readable };

/**
 * The rows that failed as they came, each with its reason, to be corrected and sent again; read
 * while they are sent.
 */
export async function streamFailedRows(
  context: TenantContext,
  file: ImportFile,
): Promise<FailedRows> {
  if (file.contents !== "kept") throw importContentsGone({ fileName: file.name });
  let format: Format = "csv";
  let header: Header = { columns: [] };
  const batches = await batchesOf(context, file, {
    tellFormat(found) {
      format = found;
    },
    checkHeader(found) {
      header = found;
    },
  });
  // Both are known before the first rows come.
  const first = await batches.next();
  const start = first.done === true ? [] : first.value;
  const writing = failedRowsWriting(format, header);
  return {
    type: writing.type,
    body: Readable.from(pieces(writing, failedRows(context, file, start, batches))),
  };
}

/** The rows of the file; those before a place at which it cannot be read. */
async function batchesOf(
  context: TenantContext,
  file: ImportFile,
  hearing: Pick<ReadingOptions, "tellFormat" | "checkHeader">,
): Promise<AsyncGenerator<Batch, void, undefined>> {
  const { mapping } = await mappingGroundOf(context);
  const options = { ...hearing, fileName: file.name, delimiter: mapping.delimiter };
  const rows = readRows(readFileChunks(context, file), options);
  return (async function* () {
    try {
      yield* rows;
    } catch (error) {
      // The import has told of it already, as the problem of the whole file.
      if (!(error instanceof UnreadableFile)) throw error;
    }
  })();
}

async function* failedRows(
  context: TenantContext,
  { id }: ImportFile,
  start: Batch,
  rest: AsyncIterable<Batch>,
): AsyncGenerator<FailedRow[], void, undefined> {
  const failures = failuresOf(context, id);
  let failure = await failures.next();
  for await (const batch of followedBy(start, rest)) {
    const found: FailedRow[] = [];
    for (const source of batch) {
      if (failure.done === true) break;
      if (failure.value.row !== source.row) continue;
      found.push({ source, outcome: failure.value });
      failure = await failures.next();
    }
    if (found.length > 0) yield found;
    if (failure.done === true) return;
  }
}

async function* followedBy(first: Batch, rest: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  yield first;
  yield* rest;
}

async function* failuresOf(
  context: TenantContext,
  fileId: string,
): AsyncGenerator<Outcome, void, undefined> {
  for (let after = 0; ; ) {
    const outcomes = await listOutcomesAfter(context, fileId, after, "failed", OUTCOMES_MAX);
    yield* outcomes;
    if (outcomes.length < OUTCOMES_MAX) return;
    after = outcomes.at(-1)?.row ?? after;
  }
}

async function* pieces(
  { head, lineOf }: ReturnType<typeof failedRowsWriting>,
  batches: AsyncIterable<readonly FailedRow[]>,
): AsyncGenerator<string> {
  yield head;
  for await (const batch of batches) yield batch.map(lineOf).join("");
}
