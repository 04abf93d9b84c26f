import { setTimeout as sleep } from "node:timers/promises";
import { startWait } from "./slowness.ts";
import type { TestApi } from "./start-api.ts";

const WAIT_MS = 60_000;
const POLL_MS = 10;

/** Waits until so many statements wait for the lock of another transaction. */
export async function untilBlocked(api: Pick<TestApi, "sql">, countMin = 1): Promise<void> {
  for (const isOver = startWait(WAIT_MS); !isOver(); await sleep(POLL_MS)) {
    const blocked = await api.sql(
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    );
    if (blocked.length >= countMin) return;
  }
  throw new Error("Nobody waits.");
}
