import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { LOCK_ORDER, MIN_PUSH_INTERVAL } from "../deliveries/delivery.repository.ts";
import { ACCEPTED } from "./push.answer.ts";
import { MIN_PUSH_INTERVAL_MS, type PauseReason } from "./push.schedule.ts";

/**
 * Tenants with a delivery that is due or a batch that nobody finishes, whose pushes do not rest, and those with
 * a fan-out under way, which does not rest. Goes through the index from tenant to tenant: a tenant with a
 * hundred thousand deliveries costs no more than one with a single delivery.
 */
export async function listDueTenants(context: SystemContext, now: Date): Promise<string[]> {
  const rows = await context.read(sql<{ id: string }>`
    with recursive open (id) as (
      select min(tenant_id) from apple_delivery where next_push_at is not null
      union all
      select (select min(tenant_id) from apple_delivery
               where next_push_at is not null and tenant_id > open.id)
        from open
       where open.id is not null
    )
    select id
      from (select id
              from open
             where exists (
                     select from apple_delivery as delivery
                      where delivery.tenant_id = open.id and next_push_at <= ${now}
                        and (claimed_until is null or claimed_until <= ${now}))
            union select tenant_id from apple_push_batch where claimed_until <= ${now}) as due
     where not exists (
             select from apple_push_pause as pause
              where pause.tenant_id = due.id and pause.until > ${now})
    union select tenant_id from apple_fan_out
  `);
  return rows.map(({ id }) => id);
}

export type Pause = {
  readonly reason: PauseReason;
  readonly detail: string;
  readonly since: Date;
  readonly until: Date;
  readonly count: number;
};

const pauseColumns = sql<Pause>`kind as reason, reason as detail, since, until, count`;

export async function findPause(
  context: Pick<TenantContext, "read" | "tenantId">,
): Promise<Pause | undefined> {
  const [pause] = await context.read(sql<Pause>`
    select ${pauseColumns} from apple_push_pause where tenant_id = ${context.tenantId}
  `);
  return pause;
}

/** True if a delivery of the tenant waits for its push. */
export async function hasDue(
  context: Pick<TenantContext, "read" | "tenantId" | "clock">,
): Promise<boolean> {
  const rows = await context.read(sql`
    select from apple_delivery
     where tenant_id = ${context.tenantId} and next_push_at <= ${context.clock.now()}
     limit 1
  `);
  return rows.length > 0;
}

export async function upsertPause(tx: TenantTx, pause: Pause): Promise<void> {
  const { reason, detail, since, until, count } = pause;
  await tx.run(sql`
    insert into apple_push_pause as known (tenant_id, kind, reason, since, until, count)
    values (${tx.tenantId}, ${reason}, ${detail}, ${since}, ${until}, ${count})
        on conflict (tenant_id) do update
           set since = case when known.kind = excluded.kind then known.since else excluded.since end,
               kind = excluded.kind, reason = excluded.reason, until = excluded.until,
               count = excluded.count
  `);
}

export async function deletePause(tx: TenantTx): Promise<void> {
  await tx.run(sql`delete from apple_push_pause where tenant_id = ${tx.tenantId}`);
}

/** Returns how many: 0 if the pushes of the tenant do not rest, or for another reason. */
export function deleteRefusal(tx: TenantTx): Promise<number> {
  return tx.run(sql`
    delete from apple_push_pause where tenant_id = ${tx.tenantId} and kind = 'refused'
  `);
}

export type DeliveryKey = {
  readonly passId: string;
  readonly deviceId: string;
  readonly passTypeIdentifier: string;
  readonly revision: number;
};

export type ClaimedDelivery = DeliveryKey & {
  /** Null if the pass was erased while its devices were being told. */
  readonly passType: string | null;
  readonly state: string;
  readonly pushes: number;
  readonly failures: number;
  readonly queuedAt: Date;
  readonly lastReason: string | null;
  /** Null if Apple called it wrong, or the device is gone. */
  readonly pushToken: string | null;
};

/**
 * Claims what is due, the longest overdue first; with `passIds`, only of these passes. Devices that were pushed to
 * a moment ago are left until later.
 *
 * Rows that are locked stay in their place, so they are found again by it. Everything else is looked
 * up row by row: the planner knows little of a table that a fan-out has just filled, and a join that
 * reads the tenant's whole share for every batch makes a fan-out as slow as it is large, squared.
 */
export async function claimDue(
  tx: TenantTx,
  count: number,
  { token, seconds }: Pick<Lease, "token" | "seconds">,
  passIds?: readonly string[],
): Promise<ClaimedDelivery[]> {
  const wanted = passIds === undefined ? sql`true` : sql`due.pass_id = any(${passIds}::text[])`;
  const until = new Date(tx.now.getTime() + seconds * 1_000);
  const claimed = await tx.many(sql<ClaimedDelivery>`
    update apple_delivery as delivery
       set claim = ${token}::uuid, claimed_until = ${until}
     where ctid = any (array(
             select due.ctid
               from apple_delivery as due
              where due.tenant_id = ${tx.tenantId} and next_push_at <= ${tx.now}
                and (claimed_until is null or claimed_until <= ${tx.now})
                -- One without its pass would stay due for ever, and keep others from their turn.
                and (select true from apple_pass as pass
                      where pass.tenant_id = ${tx.tenantId} and pass.pass_id = due.pass_id)
                and not ${isPushedTooRecently(tx)}
                and ${wanted}
              order by next_push_at
              limit ${count}
                for update of due skip locked))
    returning ${claimedColumns(tx)}
  `);
  if (claimed.length > 0) notePushed(tx, claimed);
  return claimed;
}

/**
 * When the device of the delivery `due` may be pushed to after its last push, if it had one. The clock of
 * another process may be ahead: a push that it noted for later does not count, or the device would get none until
 * then.
 */
const freeAt = (tenantId: string, now: Date): Sql => sql`
  select pushed_at + ${MIN_PUSH_INTERVAL} from apple_device as pushed
   where pushed.tenant_id = ${tenantId} and pushed.device_id = due.device_id
     and pushed.pass_type_identifier = due.pass_type_identifier and pushed_at <= ${now}
`;

/** False for a device that was never pushed to. */
const isPushedTooRecently = (tx: TenantTx): Sql =>
  sql`coalesce((${freeAt(tx.tenantId, tx.now)}) > ${tx.now}, false)`;

/** Waits for no other transaction: a device whose row is locked may be pushed to twice within the time. */
function notePushed(tx: TenantTx, claimed: readonly ClaimedDelivery[]): void {
  tx.defer(sql`
    update apple_device set pushed_at = ${tx.now}
     where ctid = any (array(
             select device.ctid
               from unnest(${claimed.map(({ deviceId }) => deviceId)}::text[],
                           ${claimed.map((one) => one.passTypeIdentifier)}::text[])
                    as claimed (device_id, pass_type_identifier)
               join apple_device as device using (device_id, pass_type_identifier)
              where device.tenant_id = ${tx.tenantId}
                for update of device skip locked))
  `);
}

/** In how many milliseconds a delivery may be pushed; undefined if it is later than the time between two pushes. */
export async function findDueInMs(context: TenantContext): Promise<number | undefined> {
  const now = context.clock.now();
  const [row] = await context.read(sql<{ at: Date | null }>`
    select min(greatest(next_push_at, free_at)) as at
      from (select next_push_at, (${freeAt(context.tenantId, now)}) as free_at
              from apple_delivery as due
             where due.tenant_id = ${context.tenantId}
               and next_push_at <= ${new Date(now.getTime() + MIN_PUSH_INTERVAL_MS)}
               and (claimed_until is null or claimed_until <= ${now})
               and (select true from apple_pass as pass
                     where pass.tenant_id = ${context.tenantId} and pass.pass_id = due.pass_id)
             order by next_push_at
             limit 100) as soon
  `);
  const at = row?.at ?? undefined;
  return at && Math.max(0, at.getTime() - now.getTime());
}

/** Of the table `delivery`. */
export const claimedColumns = (tx: TenantTx): Sql => sql`
  pass_id as "passId", device_id as "deviceId", pass_type_identifier as "passTypeIdentifier",
  revision, state, pushes, failures, queued_at as "queuedAt", last_reason as "lastReason",
  (select pass_type from apple_pass as pass
    where pass.tenant_id = ${tx.tenantId} and pass.pass_id = delivery.pass_id) as "passType",
  (select push_token from apple_device as device
    where device.tenant_id = ${tx.tenantId} and device.device_id = delivery.device_id
      and device.pass_type_identifier = delivery.pass_type_identifier) as "pushToken"
`;

/** What became of a claimed delivery. */
export type Recorded = DeliveryKey & {
  /** Undefined if it stays as it is and is due at once: nothing was tried. */
  readonly state: "pushed" | "queued" | "gone" | "failed" | undefined;
  readonly status: number | null;
  readonly reason: string | null;
  /** Undefined for a delivery that has ended. */
  readonly nextPushAt: Date | undefined;
};

type Outcome = Omit<Recorded, keyof DeliveryKey>;

/**
 * Records results where the claim still stands. A delivery that was superseded or fetched meanwhile
 * has lost its claim, and one that the device asked about stays asked. One statement for each outcome,
 * and nearly all pushes of a batch have the same. Returns those that failed for good: only these have
 * consequences.
 */
export async function recordPushes(
  tx: TenantTx,
  claim: string,
  results: readonly Recorded[],
): Promise<DeliveryKey[]> {
  if (results.length === 0) return [];
  const held = await lockHeld(tx, claim, results);
  const failed: DeliveryKey[] = [];
  for (const group of Map.groupBy(held, ({ outcome }) => outcomeName(outcome)).values()) {
    const [first] = group;
    if (first === undefined) continue;
    const places = group.map(({ place }) => place);
    const ended = await tx.many(sql<DeliveryKey>`
      with recorded as (
        update apple_delivery
           set ${changesOf(tx, first.outcome)}, claim = null, claimed_until = null
         where ctid = any (${places}::tid[])
        returning pass_id, device_id, pass_type_identifier, revision, state
      )
      select pass_id as "passId", device_id as "deviceId",
             pass_type_identifier as "passTypeIdentifier", revision
        from recorded
       where state = 'failed'
    `);
    failed.push(...ended);
  }
  return failed;
}

const outcomeName = ({ state, status, reason, nextPushAt }: Outcome): string =>
  `${state} ${status} ${reason} ${nextPushAt?.getTime()}`;

type Held = { readonly place: string; readonly outcome: Outcome };

/**
 * Locks those deliveries, in the common order, that still have the claim, and says where each of them
 * is. A row that is locked stays in its place, so the statements that follow need not look for it.
 */
async function lockHeld(
  tx: TenantTx,
  claim: string,
  results: readonly Recorded[],
): Promise<Held[]> {
  const rows = await tx.many(sql<{ number: number; place: string }>`
    select number::integer, place::text
      from (select * from unnest(
              ${results.map(({ passId }) => passId)}::text[],
              ${results.map(({ deviceId }) => deviceId)}::text[],
              ${results.map(({ passTypeIdentifier }) => passTypeIdentifier)}::text[],
              ${results.map(({ revision }) => revision)}::integer[]
            ) with ordinality as key (pass_id, device_id, pass_type_identifier, revision, number)
            ${LOCK_ORDER}) as key,
           lateral (
             select held.ctid as place
               from apple_delivery as held
              where held.tenant_id = ${tx.tenantId} and held.pass_id = key.pass_id
                and held.device_id = key.device_id
                and held.pass_type_identifier = key.pass_type_identifier
                and held.revision = key.revision and held.claim = ${claim}::uuid
                for update) as found
  `);
  return rows.flatMap(({ number, place }) => {
    const outcome = results[number - 1];
    return outcome === undefined ? [] : [{ place, outcome }];
  });
}

function changesOf(tx: TenantTx, { state, status, reason, nextPushAt }: Outcome): Sql {
  if (state === undefined) return sql`next_push_at = next_push_at`;
  const answer = sql`
    last_status = ${status}, last_reason = ${reason}, next_push_at = ${nextPushAt ?? null}
  `;
  if (state === "gone" || state === "failed") {
    return sql`state = ${state}, ended_at = ${tx.now}, ${answer}`;
  }
  return state === "pushed"
    ? sql`${kept(state)}, ${pushed(tx)}, ${answer}`
    : sql`${kept(state)}, failures = failures + 1, ${answer}`;
}

const kept = (state: string): Sql =>
  sql`state = case when state in ('asked', 'pushed') then state else ${state} end`;
const pushed = (tx: TenantTx): Sql => sql`pushes = pushes + 1, failures = 0, pushed_at = ${tx.now}`;

/**
 * What changes when Apple took a push and the delivery says already when it is pushed again: then no index
 * changes, and it takes a fraction of the time.
 */
export const accepted = (tx: TenantTx): Sql => sql`
  ${kept("pushed")}, ${pushed(tx)}, last_status = ${ACCEPTED.status}, last_reason = null,
  claim = null, claimed_until = null
`;

export type NewestDelivery = {
  readonly passId: string;
  readonly state: string;
  readonly lastReason: string | null;
  /** Somebody is pushing it at this moment. */
  readonly isClaimed: boolean;
  /** Null if it has no time, or none within the time between two pushes to a device. */
  readonly dueInMs: number | null;
};

/**
 * The deliveries of the newest revision of these passes. A device without a token gets none, and is
 * listed with the state `untold`.
 */
export function listNewest(
  context: TenantContext,
  passIds: readonly string[],
): Promise<NewestDelivery[]> {
  const now = context.clock.now();
  const soon = new Date(now.getTime() + MIN_PUSH_INTERVAL_MS);
  return context.read(sql<NewestDelivery>`
    select due.pass_id as "passId", due.state, last_reason as "lastReason",
           coalesce(claimed_until > ${now}, false) as "isClaimed",
           case when next_push_at <= ${soon}
                then greatest(0, 1000 * extract(
                       epoch from greatest(next_push_at, (${freeAt(context.tenantId, now)}))
                                  - ${now}::timestamptz))::float8
           end as "dueInMs"
      from apple_pass as newest
      join apple_delivery as due
        on due.tenant_id = newest.tenant_id and due.pass_id = newest.pass_id
       and due.revision = newest.revision
     where newest.tenant_id = ${context.tenantId} and newest.pass_id = any(${passIds}::text[])
    union all
    select registration.pass_id, 'untold', null, false, null
      from apple_registration as registration
      join apple_device as device using (tenant_id, device_id, pass_type_identifier)
     where tenant_id = ${context.tenantId} and registration.pass_id = any(${passIds}::text[])
       and device.push_token is null
  `);
}
