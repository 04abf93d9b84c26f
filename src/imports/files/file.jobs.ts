import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { runInTurns } from "#kernel/jobs/batches.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import type { Purger } from "#src/scheduler/public.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { deleteOutcomes } from "../outcomes/outcome.repository.ts";
import { deleteChunks } from "./file-chunk.repository.ts";
import {
  deleteFile,
  dropOldContents,
  findEndedBefore,
  findLeavingFile,
  listTenantsOfFiles,
  removeStaleUploads,
  updateToGone,
} from "./file-upkeep.repository.ts";

const DAY_MS = 86_400_000;
/** How long contents stay after the import: time to look at a file whose rows failed. */
const CONTENTS_DAYS = 7;
/** An upload that nobody has continued for so long was given up. */
const UPLOAD_DAYS = 1;
const RETENTION_DAYS = 90;
/** 16 MiB: a batch takes some tens of milliseconds. */
const BATCH_CHUNKS = 64;
const BATCH_OUTCOMES = 5_000;

/**
 * Deletes the contents of files that were removed, or erased with a pass; enqueued with that change,
 * because there may be gigabytes.
 */
export const dropImportContents = defineJob({
  name: "import.drop-contents",
  payload: Type.Object({}),
  concurrency: 1,
  timeoutSeconds: 600,
  async run(context, _payload, signal) {
    const tenant = context.forTenant(context.tenantId);
    while (await deleteLeaving(tenant)) {
      if (signal.aborted) throw new Error("Interrupted: the rest follows in the next run.");
    }
  },
});

type Turn = {
  readonly tenantId: string;
  /** Whether what is due now is marked. */
  readonly isBegun: boolean;
};

/**
 * Contents go a week after their import; files and their logs after `retention.importDays`; uploads
 * that were given up after a day.
 */
export const purgeImports = defineJob({
  name: "import.purge",
  payload: Type.Object({}),
  cron: "17 * * * *",
  concurrency: 1,
  timeoutSeconds: 3_000,
  async run(context, _payload, signal) {
    const tenantIds = await listTenantsOfFiles(context);
    const turns: Turn[] = tenantIds.map((tenantId) => ({ tenantId, isBegun: false }));
    await runInTurns(context, turns, signal, async (tenant, { tenantId, isBegun }) => {
      if (!isBegun) await dropDue(tenant);
      const isUnfinished = (await deleteLeaving(tenant)) || (await deleteEnded(tenant)) !== "none";
      return isUnfinished ? { tenantId, isBegun: true } : undefined;
    });
  },
});

/** Contents that are due leave by the job above. Returns how many imports were deleted with their logs. */
export const importPurger: Purger = {
  name: "imports",
  async purge(tenant, signal) {
    await dropDue(tenant);
    let deleted = 0;
    for (let done = await deleteEnded(tenant); done !== "none"; done = await deleteEnded(tenant)) {
      if (done === "file") deleted += 1;
      if (signal.aborted) break;
    }
    return deleted;
  },
};

async function dropDue(tenant: TenantContext): Promise<void> {
  const days = Math.min(await retentionDaysOf(tenant), CONTENTS_DAYS);
  await tenant.transaction(async (tx) => {
    await dropOldContents(tx, daysAgo(tenant, days));
    await removeStaleUploads(tx, daysAgo(tenant, UPLOAD_DAYS));
  });
}

/** Deletes a batch of the contents of one file. False if there is no such file. */
async function deleteLeaving(tenant: TenantContext): Promise<boolean> {
  const id = await findLeavingFile(tenant);
  if (id === undefined) return false;
  const count = await tenant.transaction((tx) => deleteChunks(tx, id, BATCH_CHUNKS));
  if (count < BATCH_CHUNKS) await tenant.transaction((tx) => updateToGone(tx, id));
  return true;
}

/** Deletes a batch of the log of one import, or the import itself after the last one. */
async function deleteEnded(tenant: TenantContext): Promise<"none" | "outcomes" | "file"> {
  const id = await findEndedBefore(tenant, daysAgo(tenant, await retentionDaysOf(tenant)));
  if (id === undefined) return "none";
  const count = await tenant.transaction((tx) => deleteOutcomes(tx, id, BATCH_OUTCOMES));
  if (count === BATCH_OUTCOMES) return "outcomes";
  await tenant.transaction((tx) => deleteFile(tx, id));
  return "file";
}

async function retentionDaysOf({ runtime, tenantId }: TenantContext): Promise<number> {
  const settings = (await tenantCacheOf(runtime).find(tenantId))?.settings;
  return settings?.retention?.importDays ?? RETENTION_DAYS;
}

function daysAgo({ clock }: TenantContext, days: number): Date {
  return new Date(clock.now().getTime() - days * DAY_MS);
}
