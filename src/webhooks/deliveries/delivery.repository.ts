import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { happenedTexts, joinEvent, type RawEvent } from "#src/events/public.ts";
import { FAILING_DAYS_MAX } from "./delivery.schedule.ts";
import type {
  ClaimedDelivery,
  DeliveryKey,
  DeliveryOutcome,
  DeliveryTarget,
} from "./delivery.schema.ts";
import { countsOf } from "./delivery-count.repository.ts";

// All times here are those of the database's clock, which all nodes share: a worker whose own clock
// is wrong still claims, holds and retries at the right times.

/** How long a claim is valid; a living process renews it in time. */
export const CLAIM_SECONDS = 15;
/** Older attempts are dropped, because repeated redeliveries could make the list endless. */
const ATTEMPTS_KEPT = 30;

/**
 * For writes that may be lost in a crash, because they are then done again: the commit does not
 * wait for the disk.
 */
export function commitInMemory(tx: TenantTx): void {
  tx.defer(sql`set local synchronous_commit = off`);
}

/** How much one lane may claim of the waiting deliveries of its subscription. */
export type LaneRequest = {
  readonly tenantId: string;
  readonly webhookId: string;
  readonly firstAttempts: number;
  readonly retries: number;
};

export type ClaimedRow = Omit<ClaimedDelivery, "event" | "target" | "createdAt"> & {
  readonly createdAt: number;
  /** Null if the row before it belongs to the same subscription. */
  readonly target: WrittenTarget | null;
  readonly name: string | null;
  readonly occurredAt: number | null;
  readonly dataText: string | null;
  readonly previousText: string | null;
};

/**
 * Claims due deliveries of enabled subscriptions, in one statement for all lanes. An ordered
 * subscription gets its oldest delivery, or nothing while that one waits for a retry.
 *
 * Rows are locked and then updated by `ctid`: finding them by key a second time took a quarter
 * longer per row. A row that changed between the two steps is not claimed; the code that changed it
 * wakes the lane.
 */
export async function claimDeliveries(
  tx: TenantTx,
  lanes: readonly LaneRequest[],
  claim: string,
): Promise<ClaimedDelivery[]> {
  const rows = await tx.many(sql<ClaimedRow>`
    with lane as materialized (
      select wanted.*, webhook.ordered, ${targetColumns} as target
        from unnest(${lanes.map(({ tenantId }) => tenantId)}::text[],
                    ${lanes.map(({ webhookId }) => webhookId)}::text[],
                    ${lanes.map(({ firstAttempts }) => firstAttempts)}::int[],
                    ${lanes.map(({ retries }) => retries)}::int[])
             as wanted (tenant_id, webhook_id, first_attempts, retries)
        join webhook on webhook.tenant_id = wanted.tenant_id and webhook.id = wanted.webhook_id
       where webhook.enabled
    ), first_attempt as (
      select delivery.place from lane cross join lateral (${dueOf(false)}) delivery
       where not lane.ordered
    ), retry as (
      select delivery.place from lane cross join lateral (${dueOf(true)}) delivery
       where not lane.ordered
    ), head as (
      select delivery.place
        from lane cross join lateral (
               select ctid as place, is_retry, due_at, claimed_until
                 from delivery
                where tenant_id = lane.tenant_id
                  and webhook_id = lane.webhook_id
                  and state = 'pending'
                order by sequence
                limit 1
                  for update) delivery
       where lane.ordered and (not is_retry or due_at <= now()) and ${isFree}
    ), due as materialized (
      select * from first_attempt union all select * from retry union all select * from head
    ), claimed as (
      update delivery
         set claim = ${claim}::uuid,
             claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})
       where ctid = any (array(select place from due))
      returning delivery.*
    )
    select claimed.tenant_id as "tenantId", claimed.webhook_id as "webhookId",
           claimed.event_id as "eventId", claimed.claim, claimed.is_retry as "isRetry",
           claimed.by_hand as "isByHand", claimed.round_attempts as "roundAttempts",
           ${milliseconds("claimed.created_at")} as "createdAt",
           claimed.sample_of as "sampleOf",
           case when row_number() over subscription = 1 then lane.target end as target,
           event.name, ${milliseconds("event.occurred_at")} as "occurredAt", ${happenedTexts}
      from claimed
      join lane using (tenant_id, webhook_id)
      ${joinEvent("claimed")}
    window subscription as (partition by claimed.tenant_id, claimed.webhook_id
                                order by claimed.sequence)
     order by claimed.tenant_id, claimed.webhook_id, claimed.sequence
  `);
  return toClaimed(rows);
}

const isFree = sql`(claimed_until is null or claimed_until <= now())`;

/** First attempts need no check of the time, because they are due when they are written. */
function dueOf(isRetry: boolean): Sql {
  const isDue = isRetry ? sql`due_at <= now()` : sql`true`;
  return sql`
    select ctid as place
      from delivery
     where tenant_id = lane.tenant_id
       and webhook_id = lane.webhook_id
       and state = 'pending'
       and is_retry = ${isRetry}::boolean
       and ${isDue}
       and ${isFree}
     order by due_at
     limit ${sql.raw(isRetry ? "lane.retries" : "lane.first_attempts")}
       for update skip locked
  `;
}

export type NextRetry = {
  readonly tenantId: string;
  readonly webhookId: string;
  readonly dueInMs: number;
};

/** The times of the next retries of these subscriptions, after those that are due now. */
export function listNextRetries(
  tx: TenantTx,
  lanes: readonly Pick<LaneRequest, "tenantId" | "webhookId">[],
): Promise<NextRetry[]> {
  return tx.many(sql<NextRetry>`
    select lane.tenant_id as "tenantId", lane.webhook_id as "webhookId", ${untilDue} as "dueInMs"
      from unnest(${lanes.map(({ tenantId }) => tenantId)}::text[],
                  ${lanes.map(({ webhookId }) => webhookId)}::text[])
           as lane (tenant_id, webhook_id)
     cross join lateral (
       select due_at
         from delivery
        where tenant_id = lane.tenant_id
          and webhook_id = lane.webhook_id
          and state = 'pending'
          and is_retry
          and due_at > now()
        order by due_at
        limit 1) next
  `);
}

const untilDue = sql`(extract(epoch from due_at - clock_timestamp()) * 1000)::float8`;

/** A time as a number, which is parsed much faster than a date. */
export function milliseconds(column: string): Sql {
  return sql.raw(`(extract(epoch from ${column}) * 1000)::float8`);
}

/** A target as the database returns it. */
export type WrittenTarget = Omit<DeliveryTarget, "sealedSecret" | "formerSecrets" | "clockMs"> & {
  readonly sealedSecret: string;
  readonly formerSecrets: readonly string[];
  readonly now: number;
};

/** The target of the row `webhook`. */
export const targetColumns: Sql = sql`
  json_build_object(
    'endpoint', webhook.endpoint,
    'webhookVersion', webhook.version,
    'sealedSecret', encode(webhook.signature_secret, 'base64'),
    'formerSecrets', array(select encode(signature_secret, 'base64')
                             from webhook_former_secret former
                            where former.tenant_id = webhook.tenant_id
                              and former.webhook_id = webhook.id
                              and valid_until > now()
                            order by former.id desc),
    'isFailing', webhook.failing_since is not null,
    'isFailingForLong', coalesce(
       webhook.failing_since <= now() - make_interval(days => ${FAILING_DAYS_MAX}), false),
    'ordered', webhook.ordered,
    'now', ${milliseconds("now()")})
`;

function readTarget({ sealedSecret, formerSecrets, now, ...target }: WrittenTarget) {
  return {
    ...target,
    sealedSecret: Buffer.from(sealedSecret, "base64"),
    formerSecrets: formerSecrets.map((secret) => Buffer.from(secret, "base64")),
    clockMs: now - performance.now(),
  };
}

/**
 * The rows of one subscription follow each other, and only the first of them contains the target.
 */
export function toClaimed(rows: readonly ClaimedRow[]): ClaimedDelivery[] {
  let target: DeliveryTarget | undefined;
  return rows.map((row) => {
    const { tenantId, webhookId, eventId, claim, isRetry, isByHand, roundAttempts, sampleOf } = row;
    if (row.target !== null) target = readTarget(row.target);
    if (target === undefined) throw new Error("A delivery without a webhook was claimed.");
    const event = eventOf(row);
    return {
      tenantId,
      webhookId,
      eventId,
      claim,
      isRetry,
      isByHand,
      roundAttempts,
      createdAt: new Date(row.createdAt),
      sampleOf,
      target,
      event,
    };
  });
}

function eventOf(row: ClaimedRow): RawEvent | undefined {
  const { tenantId, eventId: id, name, occurredAt, dataText, previousText } = row;
  if (name === null || occurredAt === null || dataText === null) return undefined;
  return { id, tenantId, name, occurredAt: new Date(occurredAt), dataText, previousText };
}

/** Returns the deliveries whose subscription is enabled and unchanged since the claim. */
export async function keepCurrent(
  tx: TenantTx,
  claimed: readonly ClaimedDelivery[],
): Promise<ClaimedDelivery[]> {
  const rows = await tx.many(sql<{ tenantId: string; id: string; version: number }>`
    select tenant_id as "tenantId", id, version
      from webhook
     where enabled
       and (tenant_id, id) in (
             select * from unnest(${claimed.map(({ tenantId }) => tenantId)}::text[],
                                  ${claimed.map(({ webhookId }) => webhookId)}::text[]))
  `);
  const current = new Set(rows.map(({ tenantId, id, version }) => `${tenantId} ${id} ${version}`));
  return claimed.filter(({ tenantId, webhookId, target }) =>
    current.has(`${tenantId} ${webhookId} ${target.webhookVersion}`),
  );
}

/**
 * Writes only where the claim is still valid: otherwise another process has claimed the delivery.
 * The first attempt is sent as a list and stored as it is, because `||` would write it again. Of whom
 * was erased since the claim, no answer is stored.
 */
export async function recordOutcomes(
  tx: TenantTx,
  outcomes: readonly DeliveryOutcome[],
): Promise<void> {
  const now = performance.now();
  const rows = outcomes
    .toSorted(byKey)
    .map(({ tenantId, webhookId, eventId, claim, state, retryAt, attempt }) => ({
      tenantId,
      webhookId,
      eventId,
      claim,
      state: state === "retrying" ? "pending" : state,
      dueInMs: Math.max(0, (retryAt ?? now) - now),
      status: attempt.status,
      attempts: [attempt],
    }));
  await tx.run(sql`
    with recorded as (
    update delivery
       set state = outcome.state,
           due_at = clock_timestamp() + outcome."dueInMs" * interval '1 millisecond',
           is_retry = true,
           by_hand = false,
           claim = null,
           claimed_until = null,
           finished_at = case when outcome.state = 'pending' then null else now() end,
           attempt_count = delivery.attempt_count + 1,
           round_attempts = delivery.round_attempts + 1,
           last_status = outcome.status,
           attempts = case when delivery.attempts = '[]' then ${KEPT}
                           when jsonb_array_length(delivery.attempts) < ${ATTEMPTS_KEPT}
                           then delivery.attempts || ${KEPT}
                           else delivery.attempts - 0 || ${KEPT} end
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as outcome (
             "tenantId" text, "webhookId" text, "eventId" text, claim uuid, state text,
             "dueInMs" float8, status int, attempts jsonb)
     where delivery.tenant_id = outcome."tenantId"
       and delivery.webhook_id = outcome."webhookId"
       and delivery.event_id = outcome."eventId"
       and delivery.claim = outcome.claim
    returning delivery.tenant_id, delivery.state)
    insert into delivery_count ${countsOf(sql`recorded`)}
  `);
}

const KEPT = sql`
  case when delivery.is_erased then jsonb_set(outcome.attempts, '{0,response}', 'null')
       else outcome.attempts end
`;

/** Erasures lock deliveries in this order too, so that none waits for the other in a circle. */
function byKey(left: DeliveryKey, right: DeliveryKey): number {
  if (left.webhookId !== right.webhookId) return left.webhookId < right.webhookId ? -1 : 1;
  return left.eventId < right.eventId ? -1 : 1;
}

type Claimed = DeliveryKey & { readonly claim: string };

/** Gives back deliveries that were not sent, so that another process can claim them at once. */
export async function releaseDeliveries(tx: TenantTx, claimed: readonly Claimed[]): Promise<void> {
  await tx.run(sql`
    update delivery
       set claim = null, claimed_until = null
      from ${rowsOf(claimed)} as held (tenant_id, webhook_id, event_id, claim)
     where ${isHeld}
  `);
}

/** For attempts that take long. */
export async function renewClaims(tx: TenantTx, claimed: readonly Claimed[]): Promise<void> {
  await tx.run(sql`
    update delivery
       set claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})
      from ${rowsOf(claimed)} as held (tenant_id, webhook_id, event_id, claim)
     where ${isHeld}
  `);
}

const isHeld = sql`
  delivery.tenant_id = held.tenant_id
  and delivery.webhook_id = held.webhook_id
  and delivery.event_id = held.event_id
  and delivery.claim = held.claim
`;

function rowsOf(unordered: readonly Claimed[]): Sql {
  const claimed = unordered.toSorted(byKey);
  return sql`unnest(${claimed.map(({ tenantId }) => tenantId)}::text[],
                    ${claimed.map(({ webhookId }) => webhookId)}::text[],
                    ${claimed.map(({ eventId }) => eventId)}::text[],
                    ${claimed.map(({ claim }) => claim)}::uuid[])`;
}

export type WaitingLane = {
  readonly tenantId: string;
  readonly webhookId: string;
  readonly isRetry: boolean;
  /** Negative if it is overdue. */
  readonly dueInMs: number;
};

/**
 * The subscriptions with waiting deliveries, and their times. The query jumps from one subscription
 * to the next in the index, so the number of deliveries of each makes no difference.
 */
export const waitingLanes: Sql<WaitingLane> = sql<WaitingLane>`
  with recursive lane as (
    (select tenant_id, webhook_id, is_retry, due_at
       from delivery
      where state = 'pending'
      order by tenant_id, webhook_id, is_retry, due_at
      limit 1)
    union all
    select next.*
      from lane cross join lateral (
             select tenant_id, webhook_id, is_retry, due_at
               from delivery
              where state = 'pending'
                and (tenant_id, webhook_id, is_retry)
                    > (lane.tenant_id, lane.webhook_id, lane.is_retry)
              order by tenant_id, webhook_id, is_retry, due_at
              limit 1) next
  )
  select lane.tenant_id as "tenantId", lane.webhook_id as "webhookId", is_retry as "isRetry",
         ${untilDue} as "dueInMs"
    from lane
    join webhook on webhook.tenant_id = lane.tenant_id and webhook.id = lane.webhook_id
   where webhook.enabled
`;
