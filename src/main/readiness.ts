import { setTimeout as sleep } from "node:timers/promises";
import type { SystemContext } from "#kernel/context.ts";
import { databaseUnavailable } from "#kernel/db/database.ts";
import { sql } from "#kernel/db/sql.ts";

/** Whoever asks whether we are ready sends requests elsewhere meanwhile: an answer is due soon. */
const TIMEOUT_MS = 1_500;

/** Throws 503 when the database does not answer in time. */
export async function requireReady(context: SystemContext): Promise<void> {
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
