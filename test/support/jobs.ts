import type { ApiClient } from "./client.ts";
import { beginToWait } from "./pause.ts";

const WAIT_MS = 120_000;

type Api = Pick<ApiClient, "get"> & { readonly operatorKey: string };

/** The job as it is when it has ended. */
export async function finishedJob(
  api: Api,
  tenantId: string,
  jobId: string,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
): Promise<any> {
  const pause = beginToWait();
  for (const deadline = Date.now() + WAIT_MS; ; ) {
    const path = `/api/${tenantId}/jobs/${jobId}`;
    const { status, body, text } = await api.get(path, { key: api.operatorKey });
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
    if (body.finishedAt !== null) return body;
    if (Date.now() > deadline) throw new Error(`Job ${jobId} does not end: ${text}`);
    await pause();
  }
}
