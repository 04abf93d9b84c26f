import type { TenantTx } from "#kernel/db/transaction.ts";

const WEBHOOKS_PER_HINT = 500;

/** The hint that deliveries of the named subscriptions are due. */
export const DELIVERY_HINT = "delivery";

export function writeDeliveryHint(tenantId: string, webhookIds: readonly string[]): string {
  return `${tenantId} ${webhookIds.join(",")}`;
}

export function readDeliveryHint(payload: string): { tenantId: string; webhookIds: string[] } {
  const [tenantId = "", ids = ""] = payload.split(" ", 2);
  return { tenantId, webhookIds: ids.split(",") };
}

/** Sends the hint with the commit, in pieces that a message can carry. */
export function hintDeliveries(
  tx: TenantTx,
  tenantId: string,
  webhooks: ReadonlySet<string>,
): void {
  const ids = [...webhooks];
  for (let from = 0; from < ids.length; from += WEBHOOKS_PER_HINT) {
    const payload = writeDeliveryHint(tenantId, ids.slice(from, from + WEBHOOKS_PER_HINT));
    tx.hint(DELIVERY_HINT, payload);
  }
}
