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
           last_reason as "lastReason", next_push_at as "nextPushAt"
      from apple_delivery
     where tenant_id = ${context.tenantId} and pass_id = ${passId}
     order by revision desc, device_id
     limit ${count}
  `);
}
