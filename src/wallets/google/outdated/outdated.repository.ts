import type { SystemContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { NO_PASS } from "../classes/class.plan.ts";

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
            and renewed_at is null
         or ${LACKS_LOCAL_TIMES})
`;
const IS_OUTDATED_CLASS = sql`
  sent_at is not null
    and (content_hash = ''
         or google_type in ('eventTicket', 'flight') and problem is null
            and content_hash not like 'local:%' and content_hash <> 'no-pass')
`;
/** The process that sends it at the moment says what Google has. */
const IS_FREE = sql`coalesce(claimed_until <= now(), true)`;

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

/** Generic passes that a process of the former release sends once more would be refused again: it ends meanwhile. */
const REFUSED_WAIT_SECONDS = 900;

/**
 * Gives the next passes of the tenant their times within the seconds to come, and of each class of an event or journey
 * the pass that was changed last. No more than so many wait at a time. Returns how many got a time.
 */
export async function scheduleOutdated(tx: TenantTx, { count, seconds }: Share): Promise<number> {
  tx.defer(sql`
    -- Without a pass that would bring it, the class is sent again with the next one.
    update google_class set content_hash = ${NO_PASS}
     where tenant_id = ${tx.tenantId} and ${IS_OUTDATED_CLASS} and ${IS_FREE}
       and not exists (select from google_object
                        where google_object.tenant_id = ${tx.tenantId}
                          and google_object.class_id = google_class.class_id
                          and state = 'sent' and not is_erased)
  `);
  return await tx.run(sql`
    with own as (
      select pass_id from google_object
       where tenant_id = ${tx.tenantId} and ${IS_OUTDATED}
       order by pass_id
       limit ${count}
    ), of_class as (
      select newest.pass_id
        from google_class as class
        cross join lateral (
               select pass_id, due_at from google_object as object
                where object.tenant_id = ${tx.tenantId} and object.class_id = class.class_id
                  and state = 'sent' and not is_erased
                order by queued_at desc
                limit 1) as newest
       where class.tenant_id = ${tx.tenantId} and ${IS_OUTDATED_CLASS} and ${IS_FREE}
         and newest.due_at is null
       limit ${count}
    ), waiting as (
      select from google_object
       where tenant_id = ${tx.tenantId} and due_at is not null and state = 'sent'
       limit ${count}
    ), turn as (
      -- A class shows all its passes what is wrong, so it is before them.
      select pass_id, row_number() over (order by min(place), pass_id) as number
        from (select pass_id, 2 as place from own
              union all select pass_id, 1 from of_class) as outdated
       group by pass_id
       order by number
       limit ${count} - (select count(*) from waiting)
    )
    update google_object
       set due_at = now() + case
             when state = 'failed' and not is_erased then make_interval(secs => ${REFUSED_WAIT_SECONDS})
             else make_interval(secs => (number - 1) * ${seconds / count}::float8) end,
           state = case when state = 'failed' and not is_erased then 'queued' else state end,
           attempts = 0, renewed_at = now()
      from turn
     where google_object.tenant_id = ${tx.tenantId}
       and google_object.pass_id = any (array(select pass_id from turn))
       and google_object.pass_id = turn.pass_id
       and due_at is null and claim_token is null
  `);
}
