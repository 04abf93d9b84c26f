import { hash } from "node:crypto";
import Type from "typebox";
import { negotiate } from "#kernel/http/media-type.ts";
import { Answer, answer, defineRoute } from "#kernel/http/route.ts";
import {
  DROP_LIST,
  listDropFiles,
  listOutcomes,
  OUTCOME_LIST,
  OUTCOMES,
  streamLog,
} from "#src/imports/public.ts";
import { sftpFileNotFound } from "./sftp.errors.ts";
import {
  FILE_EXAMPLE,
  LOG_EXAMPLE,
  presentFile,
  presentNoFile,
  presentStatus,
  SftpFile,
  SftpFileParams,
  SftpLog,
  SftpStatus,
  STATUS_EXAMPLE,
} from "./sftp.schema.ts";
import { findLoggedFile, getStatus } from "./sftp.service.ts";

const CSV = "text/csv";

export const sftpStatus = defineRoute({
  op: "sftp.get-status",
  method: "GET",
  url: "/api/:tenantId/admin/sftp/status",
  scope: "Sftp.Read",
  summary: "Read whether the file drop is open, how to reach it, and what is in it",
  description:
    "Open if `tenant.yml` says `sftp: {enabled: true}`. Clients sign in with the id of the tenant, and the secret `SFTP-PASSWORD` or one of the keys in `tenant.yml`.",
  reply: SftpStatus,
  example: { reply: STATUS_EXAMPLE },
  async handle(context) {
    const status = presentStatus(await getStatus(context));
    return answer(status, { version: hash("sha256", JSON.stringify(status), "base64url") });
  },
});

export const sftpFiles = defineRoute({
  op: "sftp.list-files",
  method: "GET",
  url: "/api/:tenantId/admin/sftp/files",
  scope: "Sftp.Read",
  summary: "List the files that came over SFTP",
  description:
    "The newest file of each name, the last one first. Files that are still being uploaded, or are named `.part` or `.tmp`, are not among them, and files that came over HTTP neither: `/admin/imports` has all imports. Empty for a tenant without a file drop.",
  list: DROP_LIST,
  reply: Type.Array(SftpFile),
  example: { reply: [FILE_EXAMPLE] },
  handle: (context, input) => listDropFiles(context, input, presentFile),
});

export const sftpLog = defineRoute({
  op: "sftp.get-log",
  method: "GET",
  url: "/api/:tenantId/admin/sftp/files/:fileName/log",
  scope: "Sftp.Read",
  summary: "Read what became of every row of a file",
  description:
    "The newest file of this name, and a page of `outcomes` in the order of the file. Ask for `text/csv` by `Accept` to get all outcomes as a table, with the identifiers of each row and the reason; with `outcome=failed` only the rows that failed. Texts that a spreadsheet would take for a formula begin with an apostrophe. A tenant without a file drop gets an empty log.",
  params: SftpFileParams,
  query: Type.Object({
    outcome: Type.Optional(
      Type.Enum([...OUTCOMES], {
        description: "Only rows with this outcome.",
        examples: ["failed"],
      }),
    ),
  }),
  list: OUTCOME_LIST,
  reply: SftpLog,
  rawReply: CSV,
  errors: [sftpFileNotFound],
  example: { reply: LOG_EXAMPLE },
  async handle(context, input) {
    const file = await findLoggedFile(context, input.params.fileName);
    const { outcome } = input.query;
    const offers = ["application/json", "text/json", "text/plain", CSV] as const;
    if (negotiate(input.accept, offers) === CSV) {
      const headers = {
        "content-type": `${CSV}; charset=utf-8`,
        // Not the name of the file, which may contain anything.
        "content-disposition": `attachment; filename="${file?.id ?? "log"}.csv"`,
      };
      return answer(streamLog(context, file, outcome, input), { headers });
    }
    if (file === undefined) return presentNoFile();
    const page = await listOutcomes(context, file, outcome, input);
    return new Answer({ ...presentFile(file), outcomes: page.body }, page.options);
  },
});
