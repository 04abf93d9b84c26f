import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { PushQueue } from "../deliveries/delivery.schema.ts";
import { PUSH_HINT } from "../deliveries/delivery.service.ts";
import { deleteRefusal, findPause, hasDue } from "./push.repository.ts";

/** Whether pushes of the tenant go out, and why not. */
export async function pushQueueOf(context: TenantContext): Promise<PushQueue> {
  const pause = await findStanding(context);
  return {
    state: pause?.reason ?? "open",
    reason: pause?.detail ?? null,
    since: pause?.since.toISOString() ?? null,
    triedAgainAt: pause?.until.toISOString() ?? null,
  };
}

/**
 * A pause stays until a push was answered. When its time is over and nothing waits, nobody knows
 * whether Apple is back, and nothing is held up.
 */
async function findStanding(context: TenantContext) {
  const pause = await findPause(context);
  const isOver = pause !== undefined && pause.until <= context.clock.now();
  return isOver && !(await hasDue(context)) ? undefined : pause;
}

/** Since when Apple refuses the certificate that pushes, and its reason. */
export async function findPushRefusal(
  context: TenantContext,
): Promise<{ readonly since: Date; readonly reason: string } | undefined> {
  const pause = await findStanding(context);
  return pause?.reason === "refused" ? { since: pause.since, reason: pause.detail } : undefined;
}

/**
 * For changes of what Apple refused: the certificate, or the settings that name it. Pushes that wait
 * for the end of the pause are then tried at once.
 */
export async function resumePushes(tx: TenantTx): Promise<void> {
  if ((await deleteRefusal(tx)) > 0) tx.hint(PUSH_HINT, tx.tenantId);
}
