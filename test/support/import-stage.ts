import { randomUUID } from "node:crypto";
import { systemCall } from "#kernel/call.ts";
import {
  type ClaimedFile,
  claimNextFile,
  failImport,
  finishImport,
  recordBatch,
} from "#src/imports/files/file-claim.service.ts";
import type { Outcome } from "#src/imports/outcomes/outcome.schema.ts";
import type { TestApi } from "./start-api.ts";

/** Files to import, and a worker that does what a test says instead of importing them. */

export const CSV_FILE = "passType,identifiers.loyalty.number\nloyalty,40012345\n";

export function importStage(api: TestApi, tenantId: string) {
  const base = `/api/${tenantId}/admin/imports`;
  const context = systemCall(api.runtime, "import.work", { tenantId });
  const upload = (
    content: string | Uint8Array = CSV_FILE,
    more: { query?: string; key?: string; headers?: Record<string, string> } = {},
  ) => {
    const { query = "fileName=members.csv", key = api.operatorKey, headers } = more;
    const sent = { "content-type": "text/csv", ...headers };
    return api.post(`${base}?${query}`, { key, rawBody: content, headers: sent });
  };
  return {
    base,
    context,
    upload,
    /** A file that waits for its turn. */
    async pending(content?: string, query?: string): Promise<string> {
      const { status, body, text } = await upload(content, query === undefined ? {} : { query });
      if (status !== 202) throw new Error(`The upload was answered ${status}: ${text}`);
      return body.importId;
    },
    claim: (token: string = randomUUID()) => claimNextFile(context, token),
    record: (claimed: ClaimedFile, outcomes: readonly Outcome[], bytesDone = 0) =>
      context.transaction((tx) => recordBatch(tx, claimed, { outcomes, bytesDone })),
    finish: (claimed: ClaimedFile) => context.transaction((tx) => finishImport(tx, claimed)),
    fail: (claimed: ClaimedFile, problem: string) =>
      context.transaction((tx) => failImport(tx, claimed, problem)),
    get: (id: string) => api.get(`${base}/${id}`, { key: api.operatorKey }),
    log: (id: string, query = "", headers: Record<string, string> = {}) =>
      api.get(`${base}/${id}/log${query}`, { key: api.operatorKey, headers }),
  };
}

export type ImportStage = ReturnType<typeof importStage>;

/** The outcome of one row, `created` unless it is said otherwise. */
export function outcomeOf(row: number, more: Partial<Outcome> = {}): Outcome {
  return {
    row,
    line: row + 1,
    outcome: "created",
    passId: `ps_${row}`,
    identifiers: { "loyalty.number": String(row) },
    message: null,
    ...more,
  };
}

/** Imports the next file, with these outcomes. */
export async function processNext(
  stage: ImportStage,
  outcomes: readonly Outcome[] = [outcomeOf(1)],
): Promise<string> {
  const claimed = await stage.claim();
  if (claimed === undefined) throw new Error("There is no file to import.");
  if (outcomes.length > 0) await stage.record(claimed, outcomes, claimed.file.size);
  await stage.finish(claimed);
  return claimed.file.id;
}
