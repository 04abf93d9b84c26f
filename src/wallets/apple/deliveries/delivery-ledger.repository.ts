import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";

type DeviceKey = { readonly deviceId: string; readonly passTypeIdentifier: string };

export type LedgerRow = DeviceKey & {
  readonly revision: number;
  readonly state: string;
  readonly queuedAt: Date;
  readonly pushedAt: Date | null;
  readonly askedAt: Date | null;
  readonly endedAt: Date | null;
  readonly pushes: number;
  readonly failures: number;
  readonly lastStatus: number | null;
  readonly lastReason: string | null;
  readonly nextPushAt: Date | null;
};

export function listLedger(
  context: TenantContext,
  passId: string,
  count: number,
): Promise<LedgerRow[]> {
  return context.read(sql<LedgerRow>`
    select device_id as "deviceId", pass_type_identifier as "passTypeIdentifier", revision, state,
           queued_at as "queuedAt", pushed_at as "pushedAt", asked_at as "askedAt",
           ended_at as "endedAt", pushes, failures, last_status as "lastStatus",
           last_reason as "lastReason",
           -- Of one that is being pushed: when it is pushed again if nobody records what became of it.
           least(next_push_at, claimed_until) as "nextPushAt"
      from apple_delivery
     where tenant_id = ${context.tenantId} and pass_id = ${passId}
     order by revision desc, device_id
     limit ${count}
  `);
}

/** A moment of a delivery that no event tells of. */
export type DeliveryStep = {
  readonly at: Date;
  readonly step: string;
  readonly deviceId: string;
  readonly revision: number;
  readonly pushes: number;
  readonly status: number | null;
  readonly reason: string | null;
};

/**
 * Lists when devices were last pushed for a change and when they asked what is new, before a time, the
 * newest first. That a device fetched the pass, or did not, is told by an event.
 */
export function listSteps(
  context: TenantContext,
  passId: string,
  before: Date,
  count: number,
): Promise<DeliveryStep[]> {
  return context.read(sql<DeliveryStep>`
    select step.at, step.step, device_id as "deviceId", revision, pushes, last_status as status,
           last_reason as reason
      from apple_delivery
     cross join lateral (values ('pushed', pushed_at), ('asked', asked_at)) as step (step, at)
     where tenant_id = ${context.tenantId} and pass_id = ${passId} and step.at < ${before}
     order by step.at desc, revision desc, device_id, step.step
     limit ${count}
  `);
}
