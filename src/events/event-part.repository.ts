import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** Parts of statements for modules whose rows name an event: no other module knows the table. */

/**
 * Joins the event of a row that names it by `tenant_id` and `event_id`. Such rows may outlive their
 * event, which is purged after a while. The collation is that of the key of events: its index serves.
 */
export function joinEvent(owner: string): Sql {
  const table = sql.raw(owner);
  return sql`
    left join event on event.tenant_id = ${table}.tenant_id
                   and event.id = ${table}.event_id collate "default"`;
}

/** What happened, as the texts that an envelope is written from. */
export const happenedTexts: Sql = sql`
  event.data::text as "dataText", event.previous::text as "previousText"
`;

/** The keys of all events about these customers or passes. */
export function eventsAbout({ tenantId }: TenantTx, subjects: readonly string[]): Sql {
  return sql`
    select tenant_id, id from event
     where tenant_id = ${tenantId} and subject = any(${subjects}::text[])`;
}
