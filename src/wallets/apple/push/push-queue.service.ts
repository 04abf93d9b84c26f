import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { PushQueue } from "../deliveries/delivery.schema.ts";
import { PUSH_HINT } from "../deliveries/delivery.service.ts";
import { deleteRefusal, findPause } from "./push.repository.ts";

/** Whether pushes of the tenant go out, and why not. */
export async function pushQueueOf(context: TenantContext): Promise<PushQueue> {
  const pause = await findPause(context);
  return {
    state: pause?.reason ?? "open",
    reason: pause?.detail ?? null,
    since: pause?.since.toISOString() ?? null,
    triedAgainAt: pause?.until.toISOString() ?? null,
  };
}

/**
 * For changes of what Apple refused: the certificate, or the settings that name it. Pushes that wait
 * for the end of the pause are then tried at once.
 */
export async function resumePushes(tx: TenantTx): Promise<void> {
  if ((await deleteRefusal(tx)) > 0) tx.hint(PUSH_HINT, tx.tenantId);
}
