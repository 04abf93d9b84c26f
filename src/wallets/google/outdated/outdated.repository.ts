import type { SystemContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** A content that a former release sent, with times in UTC: see local-times.ts. */
export const LACKS_LOCAL_TIMES: Sql = sql`
  state = 'sent' and content_hash not like 'local:%'
    and (google_type = 'transit' or 'validTimeInterval' = any(members))
`;

/** Word for word the conditions of the indexes google_object_outdated and google_class_outdated. */
const IS_OUTDATED = sql`
  due_at is null and claim_token is null
    and (is_erased
         or state = 'failed' and google_type = 'generic' and problem like '%notifyPreference%'
         or ${LACKS_LOCAL_TIMES})
`;
const IS_OUTDATED_CLASS = sql`
  google_type in ('eventTicket', 'flight') and problem is null
    and content_hash <> '' and content_hash not like 'local:%'
`;

/** Goes through both indexes from tenant to tenant: a tenant with a million passes costs no more than another. */
export async function listOutdatedTenants(context: SystemContext): Promise<string[]> {
  const rows = await context.read(sql<{ id: string }>`
    with recursive of_object (id) as (
      select min(tenant_id) from google_object where ${IS_OUTDATED}
      union all
      select (select min(tenant_id) from google_object where ${IS_OUTDATED} and tenant_id > of_object.id)
        from of_object
       where of_object.id is not null
    ), of_class (id) as (
      select min(tenant_id) from google_class where ${IS_OUTDATED_CLASS}
      union all
      select (select min(tenant_id) from google_class
               where ${IS_OUTDATED_CLASS} and tenant_id > of_class.id)
        from of_class
       where of_class.id is not null
    )
    select id from of_object where id is not null
    union
    select id from of_class where id is not null
  `);
  return rows.map(({ id }) => id);
}

export type Share = { readonly count: number; readonly seconds: number };

/**
 * Gives the next passes of the tenant their times within the seconds to come, and of each class of an event or journey
 * the pass that came to its times last. Returns how many; 0 as long as others that were given a time wait.
 */
export function scheduleOutdated(tx: TenantTx, { count, seconds }: Share): Promise<number> {
  return tx.run(sql`
    with own as (
      select pass_id from google_object
       where tenant_id = ${tx.tenantId} and ${IS_OUTDATED}
       order by pass_id
       limit ${count}
    ), of_class as (
      select newest.pass_id
        from google_class as class
        cross join lateral (
               select pass_id from google_object as object
                where object.tenant_id = ${tx.tenantId} and object.class_id = class.class_id
                  and state = 'sent' and not is_erased
                order by announced_at desc nulls last, queued_at desc
                limit 1) as newest
       where class.tenant_id = ${tx.tenantId} and ${IS_OUTDATED_CLASS}
       limit ${count}
    ), turn as (
      select pass_id, row_number() over (order by pass_id) as number
        from (select pass_id from own union select pass_id from of_class) as outdated
       where not exists (select from google_object
                          where tenant_id = ${tx.tenantId} and due_at is not null and state = 'sent')
       limit ${count}
    )
    update google_object
       set due_at = now() + make_interval(secs => (number - 1) * ${seconds / count}::float8),
           state = case when state = 'failed' and not is_erased then 'queued' else state end,
           attempts = 0
      from turn
     where google_object.tenant_id = ${tx.tenantId} and google_object.pass_id = turn.pass_id
       and due_at is null and claim_token is null
  `);
}
