import type { SystemContext } from "#kernel/context.ts";
import { listStrays, renumberEvents } from "./event.repository.ts";

const BATCH_ROWS = 5_000;

/**
 * After a restore on another server, events bear numbers of transactions that this server has yet to
 * come to: the feed would wait for those for ever. Before anything is read, each tenant's get a number
 * of this server, in one transaction, so that their order is that of their sequence.
 */
export async function renumberStrays(context: SystemContext): Promise<void> {
  for (const { id, reached } of await listStrays(context)) {
    const count = await context.forTenant(id).transaction(async (tx) => {
      let renumbered = 0;
      for (let batch = BATCH_ROWS; batch === BATCH_ROWS; renumbered += batch) {
        batch = await renumberEvents(tx, reached, BATCH_ROWS);
      }
      return renumbered;
    });
    context.log.warn(
      { tenantId: id, count },
      "events of another server have taken their place here",
    );
  }
}
