import type { SystemContext } from "#kernel/context.ts";
import { runInTenant } from "#kernel/jobs/run-in-tenant.ts";
import { listStrays, renumberEvents } from "./event.repository.ts";

const BATCH_ROWS = 5_000;

/**
 * After a restore on another server, events have transaction numbers that this server has not
 * reached: the feed would wait for them for ever. At the start, such events get a number of this
 * server. All events of a tenant get it in one transaction, so that their sequence decides on the
 * order among them.
 */
export async function renumberStrays(context: SystemContext): Promise<void> {
  for (const { id, reached } of await listStrays(context)) {
    const count = await runInTenant(context, id, (tenant) =>
      tenant.transaction(async (tx) => {
        let renumbered = 0;
        for (let batch = BATCH_ROWS; batch === BATCH_ROWS; renumbered += batch) {
          batch = await renumberEvents(tx, reached, BATCH_ROWS);
        }
        return renumbered;
      }),
    );
    if (count === undefined) continue;
    context.log.warn(
      { tenantId: id, count },
      "events of another server have taken their place here",
    );
  }
}
