import { setTimeout as sleep } from "node:timers/promises";
import { startWait } from "./slowness.ts";
import type { TestApi } from "./start-api.ts";

const WAIT_MS = 60_000;
const POLL_MS = 20;

type Api = Pick<TestApi, "get" | "post" | "operatorKey">;
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Body = any;

/** Sends a file to import; returns its record. */
export async function uploadImport(
  api: Api,
  tenantId: string,
  content: string | Uint8Array,
  query = "fileName=members.csv",
): Promise<Body> {
  const { status, body, text } = await api.post(`/api/${tenantId}/admin/imports?${query}`, {
    key: api.operatorKey,
    rawBody: content,
    headers: { "content-type": "application/octet-stream" },
  });
  if (status !== 202) throw new Error(`The upload was answered ${status}: ${text}`);
  return body;
}

/** The record of an import when it has ended. */
export async function endedImport(api: Api, tenantId: string, importId: string): Promise<Body> {
  for (const isOver = startWait(WAIT_MS); ; await sleep(POLL_MS)) {
    const { body } = await api.get(`/api/${tenantId}/admin/imports/${importId}`, {
      key: api.operatorKey,
    });
    if (body.status === "processed" || body.status === "error") return body;
    if (isOver()) throw new Error(`It does not end: ${JSON.stringify(body)}`);
  }
}

/** Imports a file and gives its record together with what became of its first rows. */
export async function importFile(
  api: Api,
  tenantId: string,
  content: string | Uint8Array,
  query?: string,
): Promise<{ file: Body; outcomes: Body[] }> {
  const { importId } = await uploadImport(api, tenantId, content, query);
  const file = await endedImport(api, tenantId, importId);
  return { file, outcomes: await importLog(api, tenantId, importId) };
}

/** What became of the first rows of an import. */
export async function importLog(api: Api, tenantId: string, importId: string): Promise<Body[]> {
  const log = await api.get(`/api/${tenantId}/admin/imports/${importId}/log?pageSize=500`, {
    key: api.operatorKey,
  });
  return log.body;
}
