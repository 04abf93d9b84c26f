import { SYSTEM_SCOPE } from "#kernel/db/scope.ts";
import { sql } from "#kernel/db/sql.ts";
import type { Runtime } from "#kernel/runtime.ts";

export type Slots = {
  /** Whose requests these are: all processes that give this name take from one row. */
  readonly name: string;
  readonly count: number;
  /** The time between two requests. */
  readonly gapMs: number;
};

/** A row that is further ahead was written before the clock was set back. */
const AHEAD_SECONDS_MAX = 60;

/**
 * Takes the next moments at which a request may be sent, and returns how long it is until the first
 * one. Two moments are never closer than the gap, whichever processes take them, so no second has
 * more of them than any other. Only the database's clock decides.
 */
export async function takeSlots(
  { db }: Pick<Runtime, "db">,
  { name, count, gapMs }: Slots,
): Promise<number> {
  const seconds = (count * gapMs) / 1_000;
  const [row] = await db.read(
    SYSTEM_SCOPE,
    sql<{ waitMs: number }>`
    insert into rate_limit as held
           (tenant_id, credential_id, op, window_seconds, ends_at, taken, granted)
    values (${SYSTEM_SCOPE}, ${name}, 'google.request', 1,
            clock_timestamp() + make_interval(secs => ${seconds}::float8),
            ${count}::integer, ${count}::integer)
    on conflict (tenant_id, credential_id, op, window_seconds) do update
       set ends_at = case when held.ends_at between clock_timestamp()
                               and clock_timestamp() + make_interval(secs => ${AHEAD_SECONDS_MAX}::float8)
                          then held.ends_at else clock_timestamp() end
                     + make_interval(secs => ${seconds}::float8),
           taken = excluded.taken, granted = excluded.granted
    returning (extract(epoch from ends_at - clock_timestamp() - make_interval(secs => ${seconds}::float8))
               * 1000)::float8 as "waitMs"
  `,
  );
  if (row === undefined) throw new Error("The next moments for requests gave no row.");
  return Math.max(0, row.waitMs);
}
