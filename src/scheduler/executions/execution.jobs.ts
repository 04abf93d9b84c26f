import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { type Purge, purgeTenant, runInTurns } from "#kernel/jobs/batches.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { hideFilesBefore } from "../files/file.repository.ts";
import { deleteHiddenContents, deleteHiddenParts } from "../files/file-upkeep.service.ts";
import type { Purger } from "../kinds.port.ts";
import { deleteExecutionsBefore, listTenantsWithExecutions } from "./execution.repository.ts";

const RETENTION_DAYS_DEFAULT = 30;
const FILE_DAYS = 7;
const DAY_MS = 86_400_000;
const BATCH_ROWS = 200;

type Turn = {
  readonly tenantId: string;
  /** Whether files are hidden that are shown no longer. */
  readonly isBegun: boolean;
};

/** Deletes executions and files of all tenants whose time is over. */
export const purgeExecutionsJob = defineJob({
  name: "execution.purge",
  payload: Type.Object({}),
  cron: "57 * * * *",
  concurrency: 1,
  timeoutSeconds: 3_000,
  async run(context, _payload, signal) {
    const tenantIds = await listTenantsWithExecutions(context);
    const turns: Turn[] = tenantIds.map((tenantId) => ({ tenantId, isBegun: false }));
    await runInTurns(context, turns, signal, async (tenant, { tenantId, isBegun }) => {
      if (!isBegun) await hideOldFiles(tenant);
      const isUnfinished =
        (await deleteHiddenParts(tenant)) || (await deleteOld(tenant)) === BATCH_ROWS;
      return isUnfinished ? { tenantId, isBegun: true } : undefined;
    });
  },
});

export const executionPurger: Purger = {
  name: "executions",
  async purge(context, signal) {
    await hideOldFiles(context);
    await deleteHiddenContents(context, signal);
    return await purgeTenant(context, oldExecutions, signal);
  },
};

const oldExecutions: Purge = { rowsMax: BATCH_ROWS, run: deleteOld };

async function deleteOld(context: TenantContext): Promise<number> {
  const before = daysAgo(context, await retentionDaysOf(context));
  return await context.transaction((tx) => deleteExecutionsBefore(tx, before, BATCH_ROWS));
}

async function hideOldFiles(context: TenantContext): Promise<void> {
  const before = daysAgo(context, Math.min(await retentionDaysOf(context), FILE_DAYS));
  await context.transaction((tx) => hideFilesBefore(tx, before));
}

async function retentionDaysOf({ runtime, tenantId }: TenantContext): Promise<number> {
  const settings = (await tenantCacheOf(runtime).find(tenantId))?.settings;
  return settings?.retention?.executionDays ?? RETENTION_DAYS_DEFAULT;
}

function daysAgo({ clock }: TenantContext, days: number): Date {
  return new Date(clock.now().getTime() - days * DAY_MS);
}
