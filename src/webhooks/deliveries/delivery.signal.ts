/** The hint that deliveries of the named subscriptions are due. */
export const DELIVERY_HINT = "delivery";

export function writeDeliveryHint(tenantId: string, webhookIds: readonly string[]): string {
  return `${tenantId} ${webhookIds.join(",")}`;
}

export function readDeliveryHint(payload: string): { tenantId: string; webhookIds: string[] } {
  const [tenantId = "", ids = ""] = payload.split(" ", 2);
  return { tenantId, webhookIds: ids.split(",") };
}
