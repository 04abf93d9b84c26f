import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type GoogleObject, objectColumns } from "./object.repository.ts";

/** As the indexes google_object_queued and google_object_unchanged have it. */
const IS_QUEUED = sql`due_at is not null and state <> 'sent'`;
const IS_UNCHANGED = sql`due_at is not null and state = 'sent'`;

/**
 * Tenants that have something to do and are not halted. Goes through the indexes from tenant to tenant: a tenant
 * with a million passes in the queue costs no more than one with a single pass.
 */
export async function listDueTenants(context: SystemContext): Promise<string[]> {
  const rows = await context.read(sql<{ id: string }>`
    with recursive queued (id) as (${tenantsOf(IS_QUEUED, sql`queued`)}),
         unchanged (id) as (${tenantsOf(IS_UNCHANGED, sql`unchanged`)})
    select id
      from (select id from queued where ${hasDue(IS_QUEUED)}
            union
            select id from unchanged where ${hasDue(IS_UNCHANGED)}) as due
     where not exists (select from google_halt where tenant_id = due.id and until > now())
  `);
  return rows.map(({ id }) => id);
}

const tenantsOf = (isMeant: Sql, name: Sql): Sql => sql`
  select min(tenant_id) from google_object where ${isMeant}
  union all
  select (select min(tenant_id) from google_object where ${isMeant} and tenant_id > ${name}.id)
    from ${name}
   where ${name}.id is not null
`;

/** False for the null at the end of a walk. */
const hasDue = (isMeant: Sql): Sql => sql`
  exists (select from google_object where tenant_id = id and ${isMeant} and due_at <= now())
`;

export type Claim = {
  readonly token: string;
  readonly seconds: number;
  readonly count: number;
};

const isOpen = (tx: TenantTx) => sql`
  not exists (select from google_halt where tenant_id = ${tx.tenantId} and until > now())
`;

/** Passes that have changed come before those that are merely brought up to date. */
export function claimObjects(
  tx: TenantTx,
  { token, seconds, count }: Claim,
): Promise<GoogleObject[]> {
  return tx.many(sql<GoogleObject>`
    with changed as (
      select pass_id from google_object
       where tenant_id = ${tx.tenantId} and due_at <= now() and ${IS_QUEUED} and ${isOpen(tx)}
       order by due_at
       limit ${count}
         for update skip locked
    ), unchanged as (
      select pass_id from google_object
       where tenant_id = ${tx.tenantId} and due_at <= now() and ${IS_UNCHANGED} and ${isOpen(tx)}
       order by due_at
       limit ${count} - (select count(*) from changed)
         for update skip locked
    ), due as (
      select pass_id from changed union all select pass_id from unchanged
    )
    update google_object
       set claim_token = ${token}::uuid, due_at = now() + make_interval(secs => ${seconds}::float8)
     where tenant_id = ${tx.tenantId}
       -- As a list, because the planner takes a limit that follows from a count for a tenth of the table.
       and pass_id = any (array(select pass_id from due))
    returning ${objectColumns}
  `);
}

/**
 * Makes the row of a pass if there is none, and claims it unless somebody has it already. Undefined
 * if it is claimed by another or waits after a failure.
 */
export async function claimObject(
  tx: TenantTx,
  passId: string,
  objectId: string,
  { token, seconds }: Pick<Claim, "token" | "seconds">,
): Promise<GoogleObject | undefined> {
  return await tx.maybeOne(sql<GoogleObject>`
    insert into google_object (tenant_id, pass_id, object_id, claim_token, due_at)
    values (${tx.tenantId}, ${passId}, ${objectId}, ${token}::uuid,
            now() + make_interval(secs => ${seconds}::float8))
    on conflict (tenant_id, pass_id) do update
       set claim_token = excluded.claim_token, due_at = excluded.due_at
     where google_object.due_at is null or google_object.due_at <= now()
        or google_object.state = 'sent' and google_object.claim_token is null
    returning ${objectColumns}
  `);
}

export async function renewObjects(tx: TenantTx, tokens: readonly string[], seconds: number) {
  await tx.run(sql`
    update google_object
       set due_at = now() + make_interval(secs => ${seconds}::float8)
     where claim_token = any(${tokens}::uuid[])
  `);
}

/** True if the claim lasts at least so long; asked before each request that may take as long. */
export async function holdsClaim(
  context: TenantContext,
  token: string,
  passId: string,
  seconds: number,
): Promise<boolean> {
  const rows = await context.read(sql`
    select from google_object
     where tenant_id = ${context.tenantId} and pass_id = ${passId} and claim_token = ${token}::uuid
       and due_at >= now() + make_interval(secs => ${seconds}::float8)
  `);
  return rows.length === 1;
}
