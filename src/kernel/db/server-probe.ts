import type { ClientConfig } from "pg";
import { PooledConnection } from "./pooled-connection.ts";

const TIMEOUT_MS = 1_500;

/**
 * Returns the pids that still work on a statement, or undefined when the server does not answer.
 * Uses a new connection, because the open ones may be broken.
 */
export async function listWorking(
  config: ClientConfig,
  pids: readonly number[],
): Promise<ReadonlySet<number> | undefined> {
  const connection = new PooledConnection({
    ...config,
    application_name: "billfold watch",
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  try {
    await connection.client.connect();
    // The answer of a process that finished a moment ago may still be under way, so that process
    // counts as working. Where the server hides what its processes do, all of them count as
    // working.
    const { rows } = await connection.client.query<{ pid: number }>(
      `select pid from pg_stat_activity
        where pid = any($1::integer[])
          and (coalesce(state, 'active') in ('active', 'fastpath function call')
               or state_change > clock_timestamp() - interval '1 second')`,
      [pids],
    );
    return new Set(rows.map(({ pid }) => pid));
  } catch {
    return undefined;
  } finally {
    void connection.end();
  }
}
