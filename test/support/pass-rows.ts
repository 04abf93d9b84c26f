import type { ClientConfig } from "pg";
import { withAdmin } from "./server.ts";

/** Many passes with their identifiers and events, written without the API. */

/** Passes stand this far apart in time, the last one made just now. */
const APART_MS = 200;
const BATCH_ROWS = 20_000;
const COUNT_MAX = 5_000_000;

export type Loaded = { readonly tenantId: string; readonly count: number; readonly from: Date };

/** The id of the pass with a number, counted from 0: ordered as they were made. */
export function loadedId({ from }: Loaded, index: number): string {
  return `ps_0${(from.getTime() + index * APART_MS).toString().padStart(14, "0")}00000000${index % 10}`;
}

export function loadedAt({ from }: Loaded, index: number): Date {
  return new Date(from.getTime() + index * APART_MS);
}

const NO_DEVICE = '"installedAt": null, "uninstalledAt": null, "devices": 0';

/**
 * Four in five are loyalty cards; one in fifty is disabled; one in four is of the tier Bridge. Twenty
 * have a family name, however many there are. One in three is installed in Apple Wallet, one in three
 * was removed from Google Wallet; one in two knows its segment, which differs for each.
 */
const insertPasses = (names: number) => `
  insert into pass (tenant_id, id, pass_type, status, identifiers, data, metadata, secret,
                    providers, created_at, updated_at, expires_at)
  select $1, id, case n % 5 when 0 then 'coupon' else 'loyalty' end,
         case n % 50 when 7 then 'disabled' else 'active' end,
         jsonb_build_object('loyalty.number', 'L' || n, 'crm.id', 'C-' || n),
         jsonb_build_object('firstName', 'Name' || n % 5000, 'lastName', 'Family' || n % ${names},
                            'points', n % 1000, 'tier', case n % 4 when 0 then 'Bridge' else 'Deck' end),
         case n % 2 when 0 then '{}' else jsonb_build_object('segment', md5(n::text)) end, md5(id),
         case n % 3 when 0 then '{}'
                    when 1 then '{"apple": {"status": "installed", ${NO_DEVICE}}}'
                    else '{"google": {"status": "uninstalled", ${NO_DEVICE}}}' end::jsonb,
         at, at + (n % 7) * interval '1 hour', at + interval '2 years'
    from row`;

const INSERT_IDENTIFIERS = `
  insert into pass_identifier (tenant_id, name, value, pass_id, pass_type, is_unique)
  select $1, name, value, id, case n % 5 when 0 then 'coupon' else 'loyalty' end, n % 5 <> 0
    from row, (values ('loyalty.number', 'L'), ('crm.id', 'C-')) as kind (name, prefix),
         lateral (select prefix || n as value) as made`;

const INSERT_EVENTS = `
  insert into event (tenant_id, id, name, occurred_at, data, subject)
  select $1, 'evt' || substr(id, 3), 'pass.created', at,
         jsonb_build_object('id', id, 'passType', 'loyalty', 'status', 'active',
           'additionalData', jsonb_build_object('firstName', 'Name' || n % 5000, 'points', n % 1000)),
         id
    from row`;

function withRows(statement: string): string {
  return `
    with row as (
      select n, at,
             'ps_0' || lpad((extract(epoch from at) * 1000)::bigint::text, 14, '0') || '00000000' || n % 10 as id
        from (select n, $4::timestamptz + n * interval '${APART_MS} milliseconds' as at
                from generate_series($2::bigint, $3::bigint) as n) as numbered
    )${statement}`;
}

export function loadPasses(
  connection: ClientConfig,
  tenantId: string,
  count: number,
  /** Whether the server has looked at them: it does so by itself, a minute or so later. */
  isAnalyzed = true,
): Promise<Loaded> {
  if (!(count > 0 && count <= COUNT_MAX)) throw new Error(`Load 1 to ${COUNT_MAX} passes.`);
  const names = Math.ceil(count / 20);
  const from = new Date(Date.now() - count * APART_MS);
  return withAdmin(connection, async (client) => {
    await client.query("select set_config('app.tenant', '*', false)");
    for (let first = 0; first < count; first += BATCH_ROWS) {
      const last = Math.min(first + BATCH_ROWS, count) - 1;
      await client.query("begin");
      for (const statement of [insertPasses(names), INSERT_IDENTIFIERS, INSERT_EVENTS]) {
        await client.query(withRows(statement), [tenantId, first, last, from]);
      }
      await client.query("commit");
    }
    if (isAnalyzed) for (const table of TABLES) await client.query(`vacuum (analyze) ${table}`);
    return { tenantId, count, from };
  });
}

const TABLES = ["pass", "pass_identifier", "pass_term", "pass_count", "event"] as const;

export function removePasses(connection: ClientConfig, tenantId: string): Promise<void> {
  return withAdmin(connection, async (client) => {
    await client.query("select set_config('app.tenant', '*', false)");
    for (const table of TABLES) {
      let removed = BATCH_ROWS;
      while (removed === BATCH_ROWS) {
        const result = await client.query(
          `delete from ${table} where ctid = any (array(
             select ctid from ${table} where tenant_id = $1 limit ${BATCH_ROWS}))`,
          [tenantId],
        );
        removed = result.rowCount ?? 0;
      }
    }
  });
}
