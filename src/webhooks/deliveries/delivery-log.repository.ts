import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import { happenedTexts, holdEvents, joinEvent } from "#src/events/public.ts";
import { LATEST_LOOKED_AT, PENDING_COUNTED_MAX } from "../webhook.schema.ts";
import { type ClaimedRow, milliseconds, targetColumns, toClaimed } from "./delivery.repository.ts";
import {
  type ClaimedDelivery,
  DELIVERY_STATES,
  type DeliveryRow,
  type DeliveryState,
  type DetailedDelivery,
  presentSummary,
  type StoredAttempt,
} from "./delivery.schema.ts";

/** Longer than a test and the recording of its result can take. */
const TEST_CLAIM_SECONDS = 60;

/**
 * A delivery that failed and will be tried again has the state `pending`, but is shown as
 * `retrying`.
 */
const SHOWN_STATE = "case when state = 'pending' and is_retry then 'retrying' else state end";

/** Filters say it in these words, because the partial indexes do. */
const STATE_CONDITIONS: Readonly<Record<string, Sql>> = {
  pending: sql`state = 'pending' and not is_retry`,
  retrying: sql`state = 'pending' and is_retry`,
  delivered: sql`state = 'delivered'`,
  failed: sql`state = 'failed'`,
} satisfies Record<DeliveryState, Sql>;

export const deliveryColumns = sql<DeliveryRow>`
  delivery.event_id as id, event_name as event, sample_of as "sampleOf",
  ${sql.raw(SHOWN_STATE)} as state,
  created_at as "createdAt", attempt_count as "attemptCount", last_status as "lastStatus",
  due_at as "dueAt", finished_at as "finishedAt"
`;

/** Can be sorted by its key only, for which there is an index. */
export const DELIVERY_LIST: ListSpec = {
  fields: {
    id: { sql: "event_id", type: "id", nullable: false },
    event: {
      sql: "event_name",
      type: "text",
      nullable: false,
      sortable: false,
      // Of `like`, PostgreSQL expects next to no match, so it would read and sort the whole list instead
      // of the newest entries until the page is full.
      condition: (operator, value) =>
        operator === "contains" ? sql`strpos(event_name, ${value}) > 0` : undefined,
    },
    state: {
      sql: SHOWN_STATE,
      type: "text",
      values: DELIVERY_STATES,
      nullable: false,
      sortable: false,
      condition: (operator, value) => (operator === "equals" ? STATE_CONDITIONS[value] : undefined),
    },
    createdAt: { sql: "created_at", type: "timestamp", nullable: false, sortable: false },
    finishedAt: { sql: "finished_at", type: "timestamp", sortable: false },
    attemptCount: { sql: "attempt_count", type: "number", nullable: false, sortable: false },
    lastStatus: { sql: "last_status", type: "number", sortable: false },
  },
  id: "id",
  paging: "always",
  defaultSort: [{ field: "id", direction: "DESC" }],
};

export function listDeliveries(
  context: TenantContext,
  webhookId: string,
  input: ListInput,
): Promise<Answer> {
  return listPage(
    context,
    {
      columns: deliveryColumns,
      from: sql`delivery`,
      where: sql`tenant_id = ${context.tenantId} and webhook_id = ${webhookId}`,
      spec: DELIVERY_LIST,
      present: presentSummary,
    },
    input,
  );
}

type DetailedRow = DeliveryRow & {
  readonly tenantId: string;
  readonly attempts: readonly StoredAttempt[];
  readonly occurredAt: Date | null;
  readonly dataText: string | null;
  readonly previousText: string | null;
};

export async function findDelivery(
  tx: TenantTx,
  webhookId: string,
  eventId: string,
): Promise<DetailedDelivery | undefined> {
  const row = await tx.maybeOne(sql<DetailedRow>`
    select ${deliveryColumns}, delivery.tenant_id as "tenantId", attempts,
           event.occurred_at as "occurredAt", ${happenedTexts}
      from delivery
      ${joinEvent("delivery")}
     where delivery.tenant_id = ${tx.tenantId}
       and delivery.webhook_id = ${webhookId}
       and delivery.event_id = ${eventId}
  `);
  return row === undefined ? undefined : toDetailed(row);
}

function toDetailed({ occurredAt, dataText, previousText, ...row }: DetailedRow): DetailedDelivery {
  const { id, tenantId, event: name } = row;
  const happened =
    occurredAt === null || dataText === null
      ? undefined
      : { id, tenantId, name, occurredAt, dataText, previousText };
  return { ...row, happened };
}

/**
 * Starts a new round of attempts, unless an attempt is under way. The log of earlier attempts
 * stays.
 */
export async function restartDelivery(
  tx: TenantTx,
  webhookId: string,
  eventId: string,
): Promise<void> {
  await tx.run(sql`
    update delivery
       set ${newRound}
     where tenant_id = ${tx.tenantId}
       and webhook_id = ${webhookId}
       and event_id = ${eventId}
       and (claimed_until is null or claimed_until <= now())
  `);
}

/**
 * Keeps whom the event is about from being erased until the commit; undefined if it is about nobody. The
 * statement after it sees what an erasure has left.
 */
export async function holdSubject(tx: TenantTx, eventId: string): Promise<string | undefined> {
  const held = await tx.maybeOne(sql<{ subject: string | null }>`
    select subject from (${holdEvents(tx, [eventId])}) as held
  `);
  return held?.subject ?? undefined;
}

/** The time of the database's clock, which also sets the times at which deliveries fail. */
export async function getTime(tx: TenantTx): Promise<string> {
  const { time } = await tx.one(sql<{ time: Date }>`select now() as time`);
  return time.toISOString();
}

export type MissedEvent = { readonly id: string; readonly name: string };

/**
 * Returns the number of deliveries that were created or restarted. A failed delivery is restarted
 * only if it failed before that time: one that failed later has already been restarted. An erasure
 * finds the deliveries that are there, so a new one is inserted either before it, or marked as erased.
 */
export function recoverDeliveries(
  tx: TenantTx,
  webhookId: string,
  missed: readonly MissedEvent[],
  failedBy: string,
): Promise<number> {
  const ids = missed.map(({ id }) => id);
  return tx.run(sql`
    with held as materialized (${holdEvents(tx, ids)})
    insert into delivery (tenant_id, webhook_id, event_id, event_name, state, by_hand, due_at,
                          created_at, is_erased)
    select ${tx.tenantId}, ${webhookId}, event_id, event_name, 'pending', true, now(), now(),
           coalesce(held.is_erased, false)
      from unnest(${ids}::text[], ${missed.map(({ name }) => name)}::text[])
           with ordinality as missed (event_id, event_name, place)
      left join held on held.id = missed.event_id
     order by place
        on conflict (tenant_id, webhook_id, event_id) do update
           set ${newRound}, is_erased = delivery.is_erased or excluded.is_erased
         where delivery.state = 'failed'
           and delivery.finished_at <= ${failedBy}::timestamptz
           and (delivery.claimed_until is null or delivery.claimed_until <= now())
  `);
}

const newRound = sql`
  state = 'pending', is_retry = false, by_hand = true, due_at = now(), claim = null,
  claimed_until = null, finished_at = null, round_attempts = 0
`;

export type NewTest = {
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventName: string;
  readonly sampleOf: string | null;
  readonly claim: string;
};

/**
 * Inserts a test as failed and claimed by the caller, so that no worker attempts it, and nothing is
 * left pending if the process dies.
 */
export async function insertTest(tx: TenantTx, test: NewTest): Promise<void> {
  const { webhookId, eventId, eventName, sampleOf, claim } = test;
  await tx.run(sql`
    insert into delivery (tenant_id, webhook_id, event_id, event_name, sample_of, state, due_at,
                          claim, claimed_until, created_at, finished_at)
    values (${tx.tenantId}, ${webhookId}, ${eventId}, ${eventName}, ${sampleOf}, 'failed',
            now(), ${claim}, now() + make_interval(secs => ${TEST_CLAIM_SECONDS}), now(), now())
  `);
}

/** Finds a test with everything an attempt needs; undefined if the webhook was deleted. */
export async function findTest(
  context: TenantContext,
  { webhookId, eventId, claim }: Pick<NewTest, "webhookId" | "eventId" | "claim">,
): Promise<ClaimedDelivery | undefined> {
  const rows = await context.read(sql<ClaimedRow>`
    select delivery.tenant_id as "tenantId", delivery.webhook_id as "webhookId",
           delivery.event_id as "eventId", delivery.claim, delivery.is_retry as "isRetry",
           delivery.by_hand as "isByHand", delivery.round_attempts as "roundAttempts",
           ${milliseconds("delivery.created_at")} as "createdAt",
           delivery.sample_of as "sampleOf",
           ${targetColumns} as target,
           event.name, ${milliseconds("event.occurred_at")} as "occurredAt", ${happenedTexts}
      from delivery
      join webhook on webhook.tenant_id = delivery.tenant_id and webhook.id = delivery.webhook_id
      ${joinEvent("delivery")}
     where delivery.tenant_id = ${context.tenantId}
       and delivery.webhook_id = ${webhookId}
       and delivery.event_id = ${eventId}
       and delivery.claim = ${claim}::uuid
  `);
  return toClaimed(rows)[0];
}

export type Backlog = {
  readonly pending: number;
  readonly nextAttemptAt: Date | null;
  readonly lastDeliveredAt: Date | null;
};

/** Reads a limited number of rows, however many deliveries there are. */
export function summarizeDeliveries(tx: TenantTx, webhookId: string): Promise<Backlog> {
  const own = sql`tenant_id = ${tx.tenantId} and webhook_id = ${webhookId}`;
  const firstDue = (isRetry: boolean) => sql`
    (select due_at
       from delivery
      where ${own} and state = 'pending' and is_retry = ${isRetry}::boolean
      order by due_at
      limit 1)
  `;
  return tx.one(sql<Backlog>`
    select (select count(*)::int
              from (select from delivery where ${own} and state = 'pending'
                     limit ${PENDING_COUNTED_MAX}) waiting) as pending,
           least(${firstDue(false)}, ${firstDue(true)}) as "nextAttemptAt",
           (select max(finished_at)
              from (select state, finished_at
                      from delivery
                     where ${own}
                     order by event_id desc
                     limit ${LATEST_LOOKED_AT}) latest
             where state = 'delivered') as "lastDeliveredAt"
  `);
}
