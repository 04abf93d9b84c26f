import type { TenantContext } from "#kernel/context.ts";
import type { Connector } from "../kit/connector.ts";
import { inboxDeliveryErased, inboxDeliveryNotFound } from "./inbox.errors.ts";
import * as inbox from "./inbox.repository.ts";
import type { StoredDelivery } from "./inbox.schema.ts";
import { INBOX_HINT } from "./inbox.signal.ts";

export async function getDelivery(
  context: TenantContext,
  { name }: Connector,
  deliveryId: string,
): Promise<StoredDelivery> {
  const delivery = await inbox.findDelivery(context, name, deliveryId);
  if (delivery === undefined) throw inboxDeliveryNotFound({ deliveryId });
  return delivery;
}

/** Works on a delivery once more, whatever became of it. What was done by it is not done twice. */
export async function replayDelivery(
  context: TenantContext,
  connector: Connector,
  deliveryId: string,
): Promise<StoredDelivery> {
  await context.transaction(async (tx) => {
    const known = await inbox.findDeliveryForUpdate(tx, connector.name, deliveryId);
    if (known === undefined) throw inboxDeliveryNotFound({ deliveryId });
    if (known.body === null) throw inboxDeliveryErased();
    await inbox.updateToWaiting(tx, deliveryId);
    tx.audit({ target: `inbound-delivery:${deliveryId}`, before: { status: known.status } });
    tx.hint(INBOX_HINT, tx.tenantId);
  });
  return await getDelivery(context, connector, deliveryId);
}
