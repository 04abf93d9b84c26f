import { setTimeout as sleep } from "node:timers/promises";
import type { SystemContext } from "#kernel/context.ts";
import { databaseUnavailable } from "#kernel/db/database.ts";
import { sql } from "#kernel/db/sql.ts";
import { defineError } from "#kernel/errors.ts";

/** A load balancer decides by this answer whether to send requests here, so it must come soon. */
const TIMEOUT_MS = 1_500;

export const serviceStopping = defineError({
  code: "service.stopping",
  status: 503,
  title: "The service is stopping",
  detail: () => "This node is about to end. Send requests to another one, or to its successor.",
  headers: () => ({ "retry-after": "1" }),
});

/** Throws 503 if the process is stopping or the database does not answer in time. */
export async function requireReady(context: SystemContext): Promise<void> {
  if (context.runtime.stopping.aborted) throw serviceStopping();
  const waiting = new AbortController();
  const late = sleep(TIMEOUT_MS, undefined, { signal: waiting.signal }).then(
    () => Promise.reject(databaseUnavailable()),
    () => undefined,
  );
  try {
    await Promise.race([context.read(sql`select 1`), late]);
  } finally {
    waiting.abort();
  }
}
