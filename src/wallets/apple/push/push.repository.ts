import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { LOCK_ORDER } from "../deliveries/delivery.repository.ts";
import type { PauseReason } from "./push.schedule.ts";

/** Tenants with a delivery that is due, whose pushes do not rest. */
export async function listDueTenants(context: SystemContext, now: Date): Promise<string[]> {
  const rows = await context.read(sql<{ id: string }>`
    select distinct tenant_id as id
      from apple_delivery
     where next_push_at <= ${now} and (claimed_until is null or claimed_until <= ${now})
       and not exists (
             select from apple_push_pause as pause
              where pause.tenant_id = apple_delivery.tenant_id and pause.until > ${now})
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
  readonly passType: string;
  readonly state: string;
  readonly pushes: number;
  readonly failures: number;
  readonly queuedAt: Date;
  readonly lastReason: string | null;
  /** Null if Apple called it wrong, or the device is gone. */
  readonly pushToken: string | null;
};

/** Claims what is due, the longest overdue first; with `passIds`, only of these passes. */
export function claimDue(
  tx: TenantTx,
  count: number,
  { token, seconds }: Pick<Lease, "token" | "seconds">,
  passIds?: readonly string[],
): Promise<ClaimedDelivery[]> {
  const wanted = passIds === undefined ? sql`true` : sql`pass_id = any(${passIds}::text[])`;
  const until = new Date(tx.now.getTime() + seconds * 1_000);
  return tx.many(sql<ClaimedDelivery>`
    with due as (
      select pass_id, device_id, pass_type_identifier, revision
        from apple_delivery
       where tenant_id = ${tx.tenantId} and next_push_at <= ${tx.now}
         -- One without its pass would stay due for ever, and keep others from their turn.
         and exists (select from apple_pass as pass
                      where pass.tenant_id = apple_delivery.tenant_id
                        and pass.pass_id = apple_delivery.pass_id)
         and (claimed_until is null or claimed_until <= ${tx.now})
         and ${wanted}
       order by next_push_at
       limit ${count}
         for update of apple_delivery skip locked
    )
    update apple_delivery as delivery
       set claim = ${token}::uuid, claimed_until = ${until}
      from due
      join apple_pass as state on state.tenant_id = ${tx.tenantId} and state.pass_id = due.pass_id
      left join apple_device as device
        on device.tenant_id = ${tx.tenantId} and device.device_id = due.device_id
       and device.pass_type_identifier = due.pass_type_identifier
     where delivery.tenant_id = ${tx.tenantId} and delivery.pass_id = due.pass_id
       and delivery.device_id = due.device_id
       and delivery.pass_type_identifier = due.pass_type_identifier
       and delivery.revision = due.revision
    returning delivery.pass_id as "passId", delivery.device_id as "deviceId",
              delivery.pass_type_identifier as "passTypeIdentifier", delivery.revision,
              state.pass_type as "passType", delivery.state, pushes, failures,
              queued_at as "queuedAt", last_reason as "lastReason", push_token as "pushToken"
  `);
}

/** What became of a claimed delivery. */
export type Recorded = DeliveryKey & {
  /** Undefined if it stays as it is and is due at once: nothing was tried. */
  readonly state: "pushed" | "queued" | "gone" | "failed" | undefined;
  readonly status: number | null;
  readonly reason: string | null;
  /** Undefined for a delivery that has ended. */
  readonly nextPushAt: Date | undefined;
};

/**
 * Records results where the claim still stands; returns those rows. A delivery that was superseded
 * or fetched meanwhile has lost its claim, and one that the device asked about stays asked.
 */
export function recordPushes(
  tx: TenantTx,
  claim: string,
  results: readonly Recorded[],
): Promise<DeliveryKey[]> {
  const json = JSON.stringify(results);
  tx.defer(sql`
    select from apple_delivery
     where tenant_id = ${tx.tenantId} and claim = ${claim}::uuid
       and (pass_id, device_id, pass_type_identifier, revision) in (
             select "passId", "deviceId", "passTypeIdentifier", revision
               from jsonb_to_recordset(${json}::jsonb) as result (
                      "passId" text, "deviceId" text, "passTypeIdentifier" text, revision integer))
     ${LOCK_ORDER}
       for update
  `);
  return tx.many(sql<DeliveryKey>`
    update apple_delivery as delivery
       set state = case when result.state is null then delivery.state
                        when result.state in ('pushed', 'queued') and delivery.state in ('asked', 'pushed')
                        then delivery.state
                        else result.state end,
           pushes = pushes + (result.state is not distinct from 'pushed')::int,
           failures = case result.state when 'pushed' then 0 when 'queued' then failures + 1
                      else failures end,
           pushed_at = case result.state when 'pushed' then ${tx.now} else pushed_at end,
           ended_at = case when result.state in ('gone', 'failed') then ${tx.now}::timestamptz end,
           last_status = case when result.state is null then last_status else result.status end,
           last_reason = case when result.state is null then last_reason else result.reason end,
           next_push_at = case when result.state is null then next_push_at
                               else result."nextPushAt" end,
           claim = null, claimed_until = null
      from jsonb_to_recordset(${json}::jsonb) as result (
             "passId" text, "deviceId" text, "passTypeIdentifier" text, revision integer,
             state text, status integer, reason text, "nextPushAt" timestamptz)
     where delivery.tenant_id = ${tx.tenantId} and delivery.pass_id = result."passId"
       and delivery.device_id = result."deviceId"
       and delivery.pass_type_identifier = result."passTypeIdentifier"
       and delivery.revision = result.revision
       and delivery.claim = ${claim}::uuid
    returning delivery.pass_id as "passId", delivery.device_id as "deviceId",
              delivery.pass_type_identifier as "passTypeIdentifier", delivery.revision
  `);
}

export type NewestDelivery = {
  readonly passId: string;
  readonly state: string;
  readonly lastReason: string | null;
  /** Somebody is pushing it at this moment. */
  readonly isClaimed: boolean;
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
  return context.read(sql<NewestDelivery>`
    select delivery.pass_id as "passId", delivery.state, last_reason as "lastReason",
           coalesce(claimed_until > ${now}, false) as "isClaimed"
      from apple_pass as newest
      join apple_delivery as delivery
        on delivery.tenant_id = newest.tenant_id and delivery.pass_id = newest.pass_id
       and delivery.revision = newest.revision
     where newest.tenant_id = ${context.tenantId} and newest.pass_id = any(${passIds}::text[])
    union all
    select registration.pass_id, 'untold', null, false
      from apple_registration as registration
      join apple_device as device using (tenant_id, device_id, pass_type_identifier)
     where tenant_id = ${context.tenantId} and registration.pass_id = any(${passIds}::text[])
       and device.push_token is null
  `);
}
