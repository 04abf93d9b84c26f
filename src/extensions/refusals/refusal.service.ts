import type { TenantContext } from "#kernel/context.ts";
import { EVENT_HINT } from "#kernel/events/outbox.ts";
import type { Connector } from "../kit/connector.ts";
import { refusedEventNotFound } from "./refusal.errors.ts";
import { updateToAgain } from "./refusal.repository.ts";
import type { StoredRefusal } from "./refusal.schema.ts";

/** The next turn of the feed sends it once more. The vendor can tell a repetition by its id. */
export async function replayRefusedEvent(
  context: TenantContext,
  { name }: Connector,
  eventId: string,
): Promise<StoredRefusal> {
  return await context.transaction(async (tx) => {
    const refusal = await updateToAgain(tx, name, eventId);
    if (refusal === undefined) throw refusedEventNotFound({ eventId });
    tx.audit({ target: `refused-event:${eventId}`, after: { connector: name, again: true } });
    tx.hint(EVENT_HINT, tx.tenantId);
    return refusal;
  });
}
