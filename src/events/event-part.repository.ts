import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** Parts of statements for other modules whose rows refer to events, but do not know the table. */

/**
 * Joins the event of a row that has `tenant_id` and `event_id`. A left join, because such rows may
 * be kept longer than their event. With this collation the index of the event key can be used.
 */
export function joinEvent(owner: string): Sql {
  const table = sql.raw(owner);
  return sql`
    left join event on event.tenant_id = ${table}.tenant_id
                   and event.id = ${table}.event_id collate "default"`;
}

/** The texts from which `writeEnvelope` makes an envelope. */
export const happenedTexts: Sql = sql`
  event.data::text as "dataText", event.previous::text as "previousText"
`;

/** Selects the keys of all events about these customers or passes. */
export function eventsAbout({ tenantId }: TenantTx, subjects: readonly string[]): Sql {
  return sql`
    select tenant_id, id from event
     where tenant_id = ${tenantId} and subject = any(${subjects}::text[])`;
}
