import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { defineRecord } from "#kernel/db/record.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import { listTenantsIn } from "#kernel/db/tenants-in.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { firstIdOf } from "#kernel/ids.ts";
import { SCAN_MEMBERS, type Scan } from "./scan.schema.ts";

export const SCAN_ID_PREFIX = "sc";

const record = defineRecord<Scan, typeof SCAN_MEMBERS>(SCAN_MEMBERS);
export const { columns: scanColumns } = record;

/** The result is not awaited. */
export function insertScan(tx: TenantTx, scan: Scan): void {
  tx.defer(sql`
    insert into scan (tenant_id, ${record.insertColumns})
    values (${tx.tenantId}, ${record.insertValues(scan)})
  `);
}

/** What an earlier scan must have in common with a new one to be the same. */
export type Likeness = Pick<
  Scan,
  "about" | "scanner" | "deviceId" | "location" | "reference" | "isOffline" | "wish"
> & {
  readonly data: string;
  /** Scans that came until then are too old to be the same. */
  readonly since: Date;
};

/**
 * Lets scans that may be the same run one after the other: the next statement sees what the others
 * recorded. The result is not awaited. A scan that is sent with network, and again without, meets
 * itself by its reference; nobody waits in a circle, because the reference always comes first.
 */
export function lockLike(tx: TenantTx, { scanner, reference, isOffline, data }: Likeness): void {
  if (reference !== null) lock(tx, `${scanner} reference ${reference}`);
  if (!isOffline) lock(tx, `${scanner} data ${data}`);
}

function lock(tx: TenantTx, name: string): void {
  tx.defer(sql`
    select pg_advisory_xact_lock(hashtextextended(${`${tx.tenantId} scan ${name}`}, 0))
  `);
}

/** The pass as the caller has seen it; undefined for an unknown code. */
export type SeenPass = { readonly id: string; readonly version: number } | undefined;

/** Fails the transaction if the scan came before, or if the pass has changed or was erased. */
export function requireNew(tx: TenantTx, like: Likeness, pass: SeenPass): void {
  tx.defer(sql`
    select require_guess(not exists (${alike(tx, like)}) and ${isUnchanged(tx, pass)})
  `);
}

type Standing = {
  /** The scan that came before. */
  readonly earlier: string | null;
  readonly isUnchanged: boolean;
  readonly isErased: boolean;
};

/** Asks the same, for a transaction that must not guess. */
export function findStanding(tx: TenantTx, like: Likeness, pass: SeenPass): Promise<Standing> {
  return tx.one(sql<Standing>`
    select (${alike(tx, like)}) as earlier, ${isUnchanged(tx, pass)} as "isUnchanged",
           ${pass?.id ?? null}::text is not null and not exists (
             select from pass where tenant_id = ${tx.tenantId} and id = ${pass?.id ?? null}::text
           ) as "isErased"
  `);
}

function isUnchanged(tx: TenantTx, pass: SeenPass): Sql {
  const { id = null, version = null } = pass ?? {};
  return sql`
    (${id}::text is null or exists (
      select from pass
       where tenant_id = ${tx.tenantId} and id = ${id}::text and version = ${version}::integer))
  `;
}

/** Finds at most one. */
function alike(tx: TenantTx, like: Likeness): Sql {
  if (like.isOffline) return sameReference(tx, like);
  if (like.reference === null) return sameMoment(tx, like);
  return sql`
    select coalesce((${sentOffline(tx, like)}), (${sameMoment(tx, like)})) as id
     where exists (${sentOffline(tx, like)}) or exists (${sameMoment(tx, like)})
  `;
}

/**
 * A scan that asks for a redemption is new if the one before did not ask for it. One key may serve many
 * doors: where no device is named, another place or reference makes another scan.
 */
function sameMoment(tx: TenantTx, like: Likeness): Sql {
  const { about, scanner, deviceId, location, reference, data, wish, since } = like;
  return sql`
    select id
      from scan
     where tenant_id = ${tx.tenantId}
       and about = ${about}
       and id >= ${firstIdOf(SCAN_ID_PREFIX, since)}
       and recorded_at > ${since}
       and scanner = ${scanner}
       and data = ${data}
       and not is_offline
       and (${deviceId}::text is not null
            or (location is not distinct from ${location}::text
                and reference is not distinct from ${reference}::text))
       and (${wish}::text is null or wish = ${wish}::text)
     order by id
     limit 1
  `;
}

/** A device that got no answer in time may have sent the scan as an offline one, which came first. */
function sentOffline(tx: TenantTx, { scanner, reference, data }: Likeness): Sql {
  return sql`
    select id
      from scan
     where tenant_id = ${tx.tenantId}
       and scanner = ${scanner}
       and reference = ${reference}
       and data = ${data}
       and is_offline
     order by id
     limit 1
  `;
}

/**
 * Also finds a scan that was made with network, and whose answer the device did not get. An offline
 * scan is found whatever was read: its reference is taken.
 */
function sameReference(tx: TenantTx, { scanner, reference, data }: Likeness): Sql {
  return sql`
    select id
      from scan
     where tenant_id = ${tx.tenantId}
       and scanner = ${scanner}
       and reference = ${reference}
       and (is_offline or data = ${data})
     order by data = ${data} desc, id
     limit 1
  `;
}

export async function getScan(tx: TenantTx, id: string): Promise<Scan> {
  return await tx.one(sql<Scan>`
    select ${scanColumns} from scan where tenant_id = ${tx.tenantId} and id = ${id}
  `);
}

export async function findScan(context: TenantContext, id: string): Promise<Scan | undefined> {
  const rows = await context.read(sql<Scan>`
    select ${scanColumns} from scan where tenant_id = ${context.tenantId} and id = ${id}
  `);
  return rows[0];
}

/** Offline scans of these scanners that were recorded before, by their references. */
export function listOffline(
  context: TenantContext,
  scanners: readonly string[],
  references: readonly string[],
): Promise<Scan[]> {
  return context.read(sql<Scan>`
    select ${scanColumns}
      from scan
     where tenant_id = ${context.tenantId}
       and scanner = any(${scanners}::text[])
       and reference = any(${references}::text[])
       and is_offline
  `);
}

/** The newest first. */
export function listScansOfPass(
  context: TenantContext,
  passId: string,
  count: number,
): Promise<Scan[]> {
  return context.read(sql<Scan>`
    select ${scanColumns}
      from scan
     where tenant_id = ${context.tenantId} and about = ${passId}
     order by id desc
     limit ${count}
  `);
}

/** That the pass was scanned, where and when stays; what tells of the person goes. */
export async function eraseScans(tx: TenantTx, passIds: readonly string[]): Promise<void> {
  await tx.run(sql`
    update scan
       set data = null, reference = null,
           outcome = '{"pass": null, "privileges": [], "movement": null}'
     where tenant_id = ${tx.tenantId} and about = any(${passIds}::text[])
  `);
}

/** Returns the number of deleted scans. */
export function deleteScansBefore(tx: TenantTx, before: Date, count: number): Promise<number> {
  return tx.run(sql`
    delete from scan
     where tenant_id = ${tx.tenantId}
       and id in (select id
                    from scan
                   where tenant_id = ${tx.tenantId} and id < ${firstIdOf(SCAN_ID_PREFIX, before)}
                   order by id
                   limit ${count})
  `);
}

export function listTenantsWithScans(context: SystemContext): Promise<string[]> {
  return listTenantsIn(context, sql`scan`);
}
