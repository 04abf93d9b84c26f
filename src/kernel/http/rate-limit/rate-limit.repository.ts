import { createHash } from "node:crypto";
import type { Database } from "../../db/database.ts";
import { sql } from "../../db/sql.ts";
import type { Lease } from "./leased-quota.ts";

export type LeaseRequest = {
  readonly tenantId: string;
  readonly credentialId: string;
  readonly op: string;
  readonly windowSeconds: number;
  readonly limit: number;
  readonly wanted: number;
};

type Row = { readonly window: number; granted: number; left: number; ends_in_ms: number };

/**
 * Takes up to `wanted` tokens from the current window, in one statement. Only the database's clock
 * decides which window it is. The clock is read before the row is locked, so a statement that had
 * to wait may find the next window in the row, and then takes from that: setting the row back would
 * grant the new window's tokens twice. A row that is more than one window ahead means that the
 * clock was set back.
 */
export async function leaseTokens(
  db: Pick<Database, "read">,
  request: LeaseRequest,
): Promise<Lease> {
  const { tenantId, credentialId, op, windowSeconds, limit, wanted } = request;
  const [row] = await db.read(
    tenantId,
    sql<Row>`
    insert into rate_limit as held
           (tenant_id, credential_id, op, window_seconds, ends_at, taken, granted)
    select ${tenantId}, ${credentialId}, ${op}, period.seconds,
           to_timestamp((floor((extract(epoch from clock_timestamp()) - period.phase) / period.seconds) + 1)
                        * period.seconds + period.phase),
           least(${wanted}::integer, ${limit}::integer), least(${wanted}::integer, ${limit}::integer)
      from (select ${windowSeconds}::integer as seconds, ${phaseSeconds(request)}::numeric as phase) period
    on conflict (tenant_id, credential_id, op, window_seconds) do update
       set (ends_at, taken, granted) = (
             select window_now.ends_at, window_now.taken + portion.size, portion.size
               from (select case when is_current then held.ends_at else excluded.ends_at end,
                            case when is_current then held.taken else 0 end
                       from (select held.ends_at between excluded.ends_at
                                    and excluded.ends_at + make_interval(secs => excluded.window_seconds)
                            ) as state (is_current)
                    ) as window_now (ends_at, taken),
                    lateral (select greatest(0, least(${wanted}::integer, ${limit}::integer - window_now.taken))
                    ) as portion (size))
    returning granted,
              greatest(0, ${limit}::integer - taken) as left,
              extract(epoch from ends_at)::float8 as window,
              (extract(epoch from ends_at - clock_timestamp()) * 1000)::float8 as ends_in_ms
  `,
  );
  if (row === undefined) throw new Error("A lease gave no row.");
  const { window, granted, left, ends_in_ms: endsInMs } = row;
  return { window, granted, left, endsInMs };
}

/** Windows of different quotas begin at different times; otherwise all would be renewed at once. */
function phaseSeconds({ tenantId, credentialId, op, windowSeconds }: LeaseRequest): number {
  const digest = createHash("sha256").update(`${tenantId} ${op} ${credentialId}`).digest();
  return Math.floor((digest.readUInt32BE(0) / 2 ** 32) * windowSeconds * 1_000) / 1_000;
}
