import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Identifiers } from "#src/customers/public.ts";
import type { Pass } from "./pass.schema.ts";

export const passColumns: Sql<Pass> = sql<Pass>`
  id, pass_type as "passType", status, identifiers, data, metadata, secret, providers,
  created_at as "createdAt", updated_at as "updatedAt", expires_at as "expiresAt",
  has_own_expiry as "hasOwnExpiry", version
`;

export async function findPass(context: TenantContext, id: string): Promise<Pass | undefined> {
  const rows = await context.read(sql<Pass>`
    select ${passColumns} from pass where tenant_id = ${context.tenantId} and id = ${id}
  `);
  return rows[0];
}

/** Locked in the order of their ids, so that no two who change many wait for each other. */
export function findPassesForUpdate(tx: TenantTx, ids: readonly string[]): Promise<Pass[]> {
  return tx.many(sql<Pass>`
    select ${passColumns}
      from pass
     where tenant_id = ${tx.tenantId} and id = any(${ids}::text[])
     order by id
       for update
  `);
}

export type NewPass = Pick<
  Pass,
  "id" | "passType" | "status" | "identifiers" | "data" | "secret" | "expiresAt" | "hasOwnExpiry"
>;

/**
 * The pass and its identifiers in one statement. Undefined, with nothing left behind, when another
 * pass of the type has one of those that are unique: who is making one is waited for.
 */
export async function insertPass(
  tx: TenantTx,
  pass: NewPass,
  unique: readonly string[],
): Promise<Pass | undefined> {
  const names = Object.keys(pass.identifiers);
  const made = await tx.maybeOne(sql<Pass>`
    with known as (
      ${insertIdentifiers(tx, pass, unique)}
    )
    insert into pass (tenant_id, id, pass_type, status, identifiers, data, secret, created_at,
                      updated_at, expires_at, has_own_expiry)
    select ${tx.tenantId}, ${pass.id}, ${pass.passType}, ${pass.status},
           ${JSON.stringify(pass.identifiers)}::jsonb, ${JSON.stringify(pass.data)}::jsonb,
           ${pass.secret}, ${tx.now}, ${tx.now}, ${pass.expiresAt}::timestamptz,
           ${pass.hasOwnExpiry}
     where (select count(*) from known) = ${names.length}
    returning ${passColumns}
  `);
  if (made === undefined) await deleteIdentifiers(tx, [pass.id]);
  return made;
}

function insertIdentifiers(
  tx: TenantTx,
  { id, passType, identifiers }: Pick<Pass, "id" | "passType" | "identifiers">,
  unique: readonly string[],
): Sql {
  return sql`
    insert into pass_identifier (tenant_id, name, value, pass_id, pass_type, is_unique)
    select ${tx.tenantId}, name, value, ${id}, ${passType}, name = any(${unique}::text[])
      from unnest(${Object.keys(identifiers)}::text[], ${Object.values(identifiers)}::text[])
           as identifier (name, value)
     -- Two who want the same ones wait for each other in one direction only.
     order by name
        on conflict do nothing
    returning 1
  `;
}

/**
 * Gives a pass these identifiers beside those it has. False, with nothing left behind, when another
 * pass of the type has one of those that are unique.
 */
export async function addIdentifiers(
  tx: TenantTx,
  pass: Pick<Pass, "id" | "passType" | "identifiers">,
  unique: readonly string[],
): Promise<boolean> {
  const wanted = Object.keys(pass.identifiers).length;
  const made = wanted === 0 ? 0 : await tx.run(insertIdentifiers(tx, pass, unique));
  if (made === wanted) return true;
  await removeIdentifiers(tx, pass.id, pass.identifiers);
  return false;
}

export async function removeIdentifiers(
  tx: TenantTx,
  passId: string,
  identifiers: Identifiers,
): Promise<void> {
  if (Object.keys(identifiers).length === 0) return;
  await tx.run(sql`
    delete from pass_identifier
     where tenant_id = ${tx.tenantId}
       and pass_id = ${passId}
       and (name, value) in (
             select * from unnest(${Object.keys(identifiers)}::text[],
                                  ${Object.values(identifiers)}::text[]))
  `);
}

export async function deleteIdentifiers(tx: TenantTx, ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    delete from pass_identifier where tenant_id = ${tx.tenantId} and pass_id = any(${ids}::text[])
  `);
}

export type Holder = { readonly name: string; readonly passId: string };

/** Who has one of these already, of those that are unique in the type. */
export async function findHolder(
  tx: TenantTx,
  passType: string,
  identifiers: Identifiers,
  except = "",
): Promise<Holder | undefined> {
  return await tx.maybeOne(sql<Holder>`
    select name, pass_id as "passId"
      from pass_identifier
     where tenant_id = ${tx.tenantId}
       and pass_type = ${passType}
       and is_unique
       and pass_id <> ${except}
       and (name, value) in (
             select * from unnest(${Object.keys(identifiers)}::text[],
                                  ${Object.values(identifiers)}::text[]))
     order by name
     limit 1
  `);
}

/** Writes what changed, many at once: the rows are locked, and the versions are the next ones. */
export async function updatePasses(tx: TenantTx, changed: readonly Pass[]): Promise<void> {
  const rows = changed.map(
    ({ id, status, identifiers, data, metadata, expiresAt, hasOwnExpiry, version }) => ({
      id,
      status,
      identifiers,
      data,
      metadata,
      expires_at: expiresAt,
      has_own_expiry: hasOwnExpiry,
      version,
    }),
  );
  await tx.run(sql`
    update pass
       set status = changed.status,
           identifiers = changed.identifiers,
           data = changed.data,
           metadata = changed.metadata,
           expires_at = changed.expires_at,
           has_own_expiry = changed.has_own_expiry,
           version = changed.version,
           updated_at = greatest(${tx.now}::timestamptz, pass.updated_at)
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as changed (
             id text, status text, identifiers jsonb, data jsonb, metadata jsonb,
             expires_at timestamptz, has_own_expiry boolean, version integer)
     where pass.tenant_id = ${tx.tenantId}
       and pass.id = changed.id
       -- Says the same once more, so that no plan reads all passes of the tenant for it.
       and pass.id = any(${rows.map(({ id }) => id)}::text[])
  `);
}

/** How many there were: one or none. */
export async function deletePass(tx: TenantTx, id: string): Promise<number> {
  await deleteIdentifiers(tx, [id]);
  return await tx.run(sql`delete from pass where tenant_id = ${tx.tenantId} and id = ${id}`);
}

export type TimelineEntry = {
  readonly id: string;
  readonly event: string;
  readonly occurredAt: string;
};

const TIMELINE_MAX = 100;

/** What happened to it, newest first. */
export async function listTimeline(
  context: TenantContext,
  passId: string,
): Promise<TimelineEntry[]> {
  const rows = await context.read(sql<{ id: string; event: string; occurredAt: Date }>`
    select id, name as event, occurred_at as "occurredAt"
      from event
     where tenant_id = ${context.tenantId} and subject = ${passId}
     order by sequence desc
     limit ${TIMELINE_MAX}
  `);
  return rows.map((row) => ({ ...row, occurredAt: row.occurredAt.toISOString() }));
}

export type ExpiredPass = {
  readonly tenantId: string;
  readonly id: string;
  /** What the clock of the database says, by which they have expired. */
  readonly now: Date;
};

/** Of any tenant but these, the oldest first. */
export function listExpired(
  tx: TenantTx,
  count: number,
  exceptTenants: readonly string[],
): Promise<ExpiredPass[]> {
  return tx.many(sql<ExpiredPass>`
    select tenant_id as "tenantId", id, now() as now
      from pass
     where status = 'active' and expires_at <= now()
       and tenant_id <> all(${exceptTenants}::text[])
     order by expires_at
     limit ${count}
  `);
}
