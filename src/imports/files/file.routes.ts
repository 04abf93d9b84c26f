import Type from "typebox";
import { negotiate } from "#kernel/http/media-type.ts";
import { answer, defineRoute } from "#kernel/http/route.ts";
import { uploadsTooMany } from "#kernel/http/upload/incoming-upload.ts";
import { OUTCOME_LIST } from "../outcomes/outcome.repository.ts";
import { OUTCOME_EXAMPLE, OUTCOMES, OutcomeView } from "../outcomes/outcome.schema.ts";
import {
  importContentsGone,
  importEnded,
  importFileRefused,
  importNoRoom,
  importNotFound,
  importTooManyFiles,
} from "./file.errors.ts";
import { FILE_BYTES_MAX } from "./file.limits.ts";
import { IMPORT_LIST, listFiles } from "./file.repository.ts";
import {
  IMPORT_EXAMPLE,
  ImportCreateQuery,
  ImportParams,
  ImportRows,
  ImportView,
  presentImport,
  ROWS_EXAMPLE,
  versionOf,
} from "./file.schema.ts";
import { cancelImport, getImport } from "./file.service.ts";
import { listOutcomes, streamLog } from "./file-log.service.ts";
import { streamFailedRows } from "./file-rows.service.ts";
import { receiveFile } from "./file-upload.service.ts";

const CSV = "text/csv";
const NDJSON = "application/x-ndjson";
const PENDING_EXAMPLE: ImportView = {
  ...IMPORT_EXAMPLE,
  status: "pending",
  rows: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  failed: 0,
  progress: 0,
  ratePerSecond: null,
  startedAt: null,
  finishedAt: null,
};

export const importCreate = defineRoute({
  op: "import.create",
  method: "POST",
  url: "/api/:tenantId/admin/imports",
  scope: "Pass.Write",
  summary: "Import a file of rows",
  description:
    "The body is the file itself: CSV (with `;`, `,` or tab, a header row, in UTF-8 or UTF-16), a JSON array, or one JSON object on each line (NDJSON), of at most 2 GiB. What the columns mean is said by `server/import.yml` or by their names. The format is found out by the contents, whatever `Content-Type` says. The file is stored as it arrives and imported when its turn comes, one file of a tenant at a time: follow it by the address in `Location`. An upload that breaks off is not imported. Contents that were imported before are not imported again: the new import is `processed` at once, with `duplicateOf`.",
  query: ImportCreateQuery,
  body: ImportRows,
  bodyNeeded: true,
  upload: {
    types: [CSV, NDJSON, "application/octet-stream"],
    sizeBytesMax: FILE_BYTES_MAX,
    receive: (context, { query }, chunks) =>
      receiveFile(
        context,
        {
          name: query.fileName,
          source: "http",
          createdBy: context.actor.id,
          isDryRun: query.dryRun ?? false,
          isForced: query.again ?? false,
        },
        chunks,
      ),
  },
  reply: ImportView,
  status: 202,
  errors: [importFileRefused, importNoRoom, importTooManyFiles, uploadsTooMany],
  example: { body: ROWS_EXAMPLE, reply: PENDING_EXAMPLE },
  async handle({ tenantId }, { received }) {
    const file = await received.finish();
    const location = `/api/${tenantId}/admin/imports/${file.id}`;
    return answer(presentImport(file), { status: 202, headers: { location } });
  },
});

export const importList = defineRoute({
  op: "import.list",
  method: "GET",
  url: "/api/:tenantId/admin/imports",
  scope: "Sftp.Read",
  summary: "List imports",
  description:
    "However the files came, the newest first. Kept for 90 days, or as long as `retention.importDays` of `tenant.yml` says.",
  list: IMPORT_LIST,
  reply: Type.Array(ImportView),
  example: { reply: [IMPORT_EXAMPLE] },
  handle: listFiles,
});

export const importGet = defineRoute({
  op: "import.get",
  method: "GET",
  url: "/api/:tenantId/admin/imports/:importId",
  scope: "Sftp.Read",
  summary: "Read one import: its progress and its counts",
  params: ImportParams,
  reply: ImportView,
  errors: [importNotFound],
  example: { reply: IMPORT_EXAMPLE },
  async handle(context, { params }) {
    const file = await getImport(context, params.importId);
    return answer(presentImport(file), { version: versionOf(file) });
  },
});

export const importLog = defineRoute({
  op: "import.list-outcomes",
  method: "GET",
  url: "/api/:tenantId/admin/imports/:importId/log",
  scope: "Sftp.Read",
  summary: "Read what became of every row of an import",
  description:
    "In the order of the file, and while it is imported as far as it has come. Ask for `text/csv` by `Accept` to get the whole log as a table, with the identifiers of each row and the reason; with `outcome=failed` only the rows that failed. Texts that a spreadsheet would take for a formula begin with an apostrophe.",
  params: ImportParams,
  query: Type.Object({
    outcome: Type.Optional(
      Type.Enum([...OUTCOMES], {
        description: "Only rows with this outcome.",
        examples: ["failed"],
      }),
    ),
  }),
  list: OUTCOME_LIST,
  reply: Type.Array(OutcomeView),
  rawReply: CSV,
  errors: [importNotFound],
  example: { reply: [OUTCOME_EXAMPLE] },
  async handle(context, input) {
    const file = await getImport(context, input.params.importId);
    const { outcome } = input.query;
    const offers = ["application/json", "text/json", "text/plain", CSV] as const;
    if (negotiate(input.accept, offers) !== CSV) {
      return await listOutcomes(context, file, outcome, input);
    }
    const headers = downloadHeaders(`${file.id}-log`, CSV);
    return answer(streamLog(context, file, outcome, input), { headers });
  },
});

export const importFailedRows = defineRoute({
  op: "import.export-failed-rows",
  method: "GET",
  url: "/api/:tenantId/admin/imports/:importId/failed-rows",
  scope: "Sftp.Read",
  summary: "Download the rows that failed, to correct them and send them again",
  description:
    "The rows as they were sent, each with its `line` in the file and the `reason`; an import passes over both, so the corrected file can be sent as it is. CSV stays CSV, with `,` between the columns, and texts that a spreadsheet would take for a formula begin with an apostrophe, which an import takes off again. Of JSON and NDJSON, each row is one line of JSON. Of a row that cannot be read at all, there are only the line and the reason. Possible for a week after the import, as long as the contents of the file are kept.",
  params: ImportParams,
  reply: Type.String({ contentMediaType: CSV, title: "FailedRows" }),
  rawReply: NDJSON,
  errors: [importNotFound, importContentsGone],
  example: {
    reply:
      "passType,identifiers.loyalty.number,additionalData.points,line,reason\r\nloyalty,40012345,many,3,The value is not a number.\r\n",
  },
  async handle(context, { params }) {
    const file = await getImport(context, params.importId);
    const { type, body } = await streamFailedRows(context, file);
    return answer(body, { headers: downloadHeaders(`${file.id}-failed`, type) });
  },
});

function downloadHeaders(name: string, type: string): Record<string, string> {
  const ending = type === CSV ? "csv" : "ndjson";
  return {
    "content-type": `${type}; charset=utf-8`,
    "content-disposition": `attachment; filename="${name}.${ending}"`,
  };
}

export const importCancel = defineRoute({
  op: "import.cancel",
  method: "DELETE",
  url: "/api/:tenantId/admin/imports/:importId",
  scope: "Pass.Write",
  summary: "Cancel an import",
  description:
    "204: the file had not been begun, and is removed. 202: the import is running; it stops after the rows under way and ends in `error`. What it did until then stays.",
  params: ImportParams,
  reply: ImportView,
  status: 204,
  otherStatuses: [202],
  errors: [importNotFound, importEnded],
  example: { reply: { ...PENDING_EXAMPLE, status: "running" } },
  async handle(context, { params: { importId } }) {
    const file = await cancelImport(context, importId);
    if (file === undefined) return answer(undefined, { status: 204 });
    const location = `/api/${context.tenantId}/admin/imports/${importId}`;
    return answer(presentImport(file), { status: 202, headers: { location } });
  },
});

export const importRoutes = [
  importCreate,
  importList,
  importGet,
  importLog,
  importFailedRows,
  importCancel,
];
