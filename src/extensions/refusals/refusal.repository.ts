import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import { listTenantsIn } from "#kernel/db/tenants-in.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import { eventsAbout, happenedTexts, holdEvents, joinEvent } from "#src/events/public.ts";
import { presentRefusal, type StoredRefusal } from "./refusal.schema.ts";

export type Refusal = {
  readonly eventId: string;
  readonly eventName: string;
  readonly reason: string;
};

/** The reason of events about erased subjects, and of those that are no longer kept. */
export const NOTHING_LEFT =
  "There is nothing left to tell: the event, or whom it is about, was erased.";

/**
 * One that was set aside before, and is refused again, has the newest reason. A vendor may name whom an
 * event is about, and an erasure that came while it answered must not leave that: it is waited for here,
 * or finds the reason.
 */
export function upsertRefusals(
  tx: TenantTx,
  connector: string,
  refusals: readonly Refusal[],
): void {
  const ids = refusals.map(({ eventId }) => eventId);
  tx.defer(sql`
    with held as materialized (${holdEvents(tx, ids)})
    insert into connector_refusal (tenant_id, connector, event_id, event_name, reason, refused_at)
    select ${tx.tenantId}, ${connector}, "eventId", "eventName",
           case when held.is_erased is false then reason else ${NOTHING_LEFT} end, ${tx.now}
      from jsonb_to_recordset(${JSON.stringify(refusals)}::jsonb) as sent (
             "eventId" text, "eventName" text, reason text)
      left join held on held.id = sent."eventId"
        on conflict (tenant_id, connector, event_id) do update
       set reason = excluded.reason, refused_at = excluded.refused_at, again = false
  `);
}

/** Erases what vendors said of the events about these subjects. That they were refused stays. */
export function eraseReasons(
  tx: TenantTx,
  connectors: readonly string[],
  subjects: readonly string[],
): void {
  // With the connector, because the key begins with it.
  tx.defer(sql`
    update connector_refusal as refusal
       set reason = ${NOTHING_LEFT}
      from (${eventsAbout(tx, subjects)}) as event
     cross join unnest(${connectors}::text[]) as known (connector)
     where refusal.tenant_id = event.tenant_id
       and refusal.connector = known.connector
       and refusal.event_id = event.id
  `);
}

/** The conditions name the table `connector_refusal`, so the query must use that name. */
export const REFUSAL_LIST: ListSpec = {
  fields: {
    eventId: { sql: "connector_refusal.event_id", type: "id", nullable: false },
    event: { sql: "connector_refusal.event_name", type: "text", nullable: false },
    refusedAt: { sql: "connector_refusal.refused_at", type: "timestamp", nullable: false },
  },
  id: "eventId",
  paging: "always",
  defaultSort: [{ field: "eventId", direction: "DESC" }],
};

const refusalColumns: Sql<StoredRefusal> = sql<StoredRefusal>`
  event_id as "eventId", event_name as "eventName", reason, refused_at as "refusedAt", again
`;

export function listRefusals(
  context: TenantContext,
  connector: string,
  input: ListInput,
): Promise<Answer> {
  return listPage(
    context,
    {
      columns: refusalColumns,
      from: sql`connector_refusal`,
      where: sql`connector_refusal.tenant_id = ${context.tenantId}
             and connector_refusal.connector = ${connector}`,
      spec: REFUSAL_LIST,
      present: presentRefusal,
    },
    input,
  );
}

/** Undefined if no such event was set aside. */
export function updateToAgain(
  tx: TenantTx,
  connector: string,
  eventId: string,
): Promise<StoredRefusal | undefined> {
  return tx.maybeOne(sql<StoredRefusal>`
    update connector_refusal
       set again = true
     where tenant_id = ${tx.tenantId} and connector = ${connector} and event_id = ${eventId}
    returning ${refusalColumns}
  `);
}

/** One to be sent again, with what is kept of it; the texts are null if it is gone. */
export type AgainEvent = {
  readonly id: string;
  readonly name: string;
  readonly occurredAt: Date | null;
  readonly dataText: string | null;
  readonly previousText: string | null;
};

export function listAgain(
  context: TenantContext,
  connector: string,
  count: number,
): Promise<AgainEvent[]> {
  return context.read(sql<AgainEvent>`
    select connector_refusal.event_id as id, connector_refusal.event_name as name,
           event.occurred_at as "occurredAt", ${happenedTexts}
      from connector_refusal
      ${joinEvent("connector_refusal")}
     where connector_refusal.tenant_id = ${context.tenantId}
       and connector_refusal.connector = ${connector}
       and connector_refusal.again
     order by connector_refusal.event_id
     limit ${count}
  `);
}

/** They were taken after all. */
export function deleteRefusals(tx: TenantTx, connector: string, eventIds: readonly string[]): void {
  tx.defer(sql`
    delete from connector_refusal
     where tenant_id = ${tx.tenantId} and connector = ${connector}
       and event_id = any(${eventIds}::text[])
  `);
}

export function listTenantsOfRefusals(context: SystemContext): Promise<string[]> {
  return listTenantsIn(context, sql`connector_refusal`);
}

/** Returns the number of deleted rows. If it equals `count`, there may be more. */
export function deleteRefusalsBefore(tx: TenantTx, before: Date, count: number): Promise<number> {
  return tx.run(sql`
    with old as materialized (
      select connector, event_id
        from connector_refusal
       where tenant_id = ${tx.tenantId} and refused_at < ${before}
       order by refused_at
       limit ${count}
         for update skip locked)
    delete from connector_refusal
     where tenant_id = ${tx.tenantId}
       and (connector, event_id) in (select connector, event_id from old)
  `);
}
