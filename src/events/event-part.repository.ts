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

/** Whether whom the event is about was erased. */
export const isErased: Sql = sql`coalesce(event.data -> 'erased' = 'true', false)`;

/**
 * Locks events, in the order of their ids: until the commit, nobody whom they are about is erased, and
 * what is written about the events will be. Waits for erasures under way.
 */
export function holdEvents({ tenantId }: TenantTx, ids: readonly string[]): Sql {
  return sql`
    select id, subject, ${isErased} as is_erased
      from event
     where tenant_id = ${tenantId} and id = any(${ids}::text[])
     order by event.id
       for share`;
}

/** Selects the keys of all events about these customers, passes or receipts. */
export function eventsAbout({ tenantId }: TenantTx, subjects: readonly string[]): Sql {
  return sql`
    select tenant_id, id from event
     where tenant_id = ${tenantId} and subject = any(${subjects}::text[])`;
}
