import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { deleteEnded, listRegisteredAfter } from "./delivery.repository.ts";
import { tellDevices } from "./delivery.service.ts";

const BATCH = 1_000;
/** Then the job goes on as another one, which does not begin anew when it fails. */
const BATCHES_PER_RUN = 20;
const PURGE_BATCH = 1_000;
const KEPT_MS = 30 * 86_400_000;

/**
 * Tells all devices of a tenant, because a publication may have changed every pass. The passes come in
 * the order of their ids; `after` is the last one that is done.
 */
export const tellAllDevices = defineJob({
  name: "apple-pass.tell-all",
  payload: Type.Object({ after: Type.Optional(Type.String({ maxLength: 100 })) }),
  timeoutSeconds: 3_600,
  concurrency: 1,
  async run(context, { after = "" }, signal) {
    const tenant = context.forTenant(context.tenantId);
    let position: string | undefined = after;
    for (let batch = 1; position !== undefined && batch <= BATCHES_PER_RUN; batch += 1) {
      signal.throwIfAborted();
      position = await tellBatch(tenant, position, batch === BATCHES_PER_RUN);
    }
  },
});

/** Returns the last pass that was told; undefined if there are no more. */
function tellBatch(
  tenant: TenantContext,
  after: string,
  isLastOfRun: boolean,
): Promise<string | undefined> {
  return tenant.transaction(async (tx) => {
    const passIds = await listRegisteredAfter(tx, after, BATCH);
    tellDevices(tx, passIds);
    const last = passIds.length < BATCH ? undefined : passIds.at(-1);
    // Without a singleton key: it neither replaces a newer publication nor is replaced by one.
    if (isLastOfRun && last !== undefined) tx.enqueue(tellAllDevices, { after: last });
    return last;
  });
}

/** Deletes what ended 30 days ago, of all tenants. */
export const purgePassDeliveries = defineJob({
  name: "apple-pass.purge-deliveries",
  payload: Type.Object({}),
  cron: "17 * * * *",
  concurrency: 1,
  async run(context, _payload, signal) {
    const before = new Date(context.clock.now().getTime() - KEPT_MS);
    for (let deleted = PURGE_BATCH; deleted === PURGE_BATCH && !signal.aborted; ) {
      deleted = await context.transaction((tx) => deleteEnded(tx, before, PURGE_BATCH));
    }
  },
});
