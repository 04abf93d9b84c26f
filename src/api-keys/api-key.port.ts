import type { TenantTx } from "#kernel/db/transaction.ts";
import { definePort } from "#kernel/port.ts";

export type DeviceUse = {
  readonly tenantId: string;
  readonly deviceId: string;
  readonly at: Date;
};

/** Told from time to time which devices used their keys, of all tenants together. */
export const deviceKeyUses =
  definePort<(tx: TenantTx, uses: readonly DeviceUse[]) => Promise<void>>("uses of device keys");
