import Type from "typebox";
import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { runInTenant } from "#kernel/jobs/run-in-tenant.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { hideFilesBefore } from "../files/file.repository.ts";
import { deleteHiddenContents } from "../files/file-upkeep.service.ts";
import type { Purger } from "../kinds.port.ts";
import { deleteExecutionsBefore, listTenantsWithExecutions } from "./execution.repository.ts";

const RETENTION_DAYS_DEFAULT = 30;
const FILE_DAYS = 7;
const DAY_MS = 86_400_000;
const BATCH_ROWS = 200;
/** A run deletes at most so many batches of each tenant; the next run deletes the rest. */
const ROUNDS_MAX = 200;

/** Deletes executions and files of all tenants whose time is over. */
export const purgeExecutionsJob = defineJob({
  name: "execution.purge",
  payload: Type.Object({}),
  cron: "57 * * * *",
  concurrency: 1,
  timeoutSeconds: 600,
  async run(context, _payload, signal) {
    for (const tenantId of await listTenantsWithExecutions(context)) {
      if (signal.aborted) return;
      await purgeOrGoOn(context, tenantId, signal);
    }
  },
});

/** What fails for one tenant must not keep the rows of all others. */
async function purgeOrGoOn(
  context: SystemContext,
  tenantId: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await runInTenant(context, tenantId, (tenant) => purgeExecutions(tenant, signal));
  } catch (error) {
    if (signal.aborted) return;
    const facts = { err: error, tenantId };
    context.log.error(facts, "executions of a tenant could not be deleted");
  }
}

async function purgeExecutions(context: TenantContext, signal: AbortSignal): Promise<number> {
  const settings = (await tenantCacheOf(context.runtime).find(context.tenantId))?.settings;
  const days = settings?.retention?.executionDays ?? RETENTION_DAYS_DEFAULT;
  const now = context.clock.now().getTime();
  const ago = (count: number) => new Date(now - count * DAY_MS);
  await context.transaction((tx) => hideFilesBefore(tx, ago(Math.min(days, FILE_DAYS))));
  await deleteHiddenContents(context, signal);
  let total = 0;
  for (let round = 0; round < ROUNDS_MAX && !signal.aborted; round += 1) {
    const count = await context.transaction((tx) =>
      deleteExecutionsBefore(tx, ago(days), BATCH_ROWS),
    );
    total += count;
    if (count < BATCH_ROWS) break;
  }
  return total;
}

export const executionPurger: Purger = { name: "executions", purge: purgeExecutions };
