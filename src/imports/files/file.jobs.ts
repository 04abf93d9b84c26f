import Type from "typebox";
import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { runInTenant } from "#kernel/jobs/run-in-tenant.ts";
import type { Purger } from "#src/scheduler/public.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { deleteOutcomes } from "../outcomes/outcome.repository.ts";
import { deleteChunks } from "./file-chunk.repository.ts";
import {
  deleteFile,
  dropOldContents,
  listEndedBefore,
  listLeavingFiles,
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
const FILES_AT_ONCE = 100;
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
  run: (context, _payload, signal) => deleteLeaving(context, signal),
});

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
    for (const tenantId of await listTenantsOfFiles(context)) {
      await runInTenant(context, tenantId, (tenant) => purgeOf(tenant, signal));
    }
    await deleteLeaving(context, signal);
  },
});

/** Contents that are due leave by the job above: other tenants' files may wait before them. */
export const importPurger: Purger = { name: "imports", purge: purgeOf };

/** Returns how many imports were deleted with their logs. */
async function purgeOf(tenant: TenantContext, signal: AbortSignal): Promise<number> {
  const now = tenant.clock.now().getTime();
  const daysAgo = (days: number) => new Date(now - days * DAY_MS);
  const settings = (await tenantCacheOf(tenant.runtime).find(tenant.tenantId))?.settings;
  const days = settings?.retention?.importDays ?? RETENTION_DAYS;
  await tenant.transaction(async (tx) => {
    await dropOldContents(tx, daysAgo(Math.min(days, CONTENTS_DAYS)));
    await removeStaleUploads(tx, daysAgo(UPLOAD_DAYS));
  });
  return await deleteEnded(tenant, daysAgo(days), signal);
}

async function deleteLeaving(context: SystemContext, signal: AbortSignal): Promise<void> {
  for (let files = await listLeavingFiles(context, FILES_AT_ONCE); files.length > 0; ) {
    for (const { tenantId, id } of files) {
      await runInTenant(context, tenantId, (tenant) => deleteContents(tenant, id, signal));
    }
    files = await listLeavingFiles(context, FILES_AT_ONCE);
  }
}

async function deleteContents(
  tenant: TenantContext,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  for (let count = BATCH_CHUNKS; count === BATCH_CHUNKS; ) {
    if (signal.aborted) throw new Error("Interrupted: the rest follows in the next run.");
    count = await tenant.transaction((tx) => deleteChunks(tx, id, BATCH_CHUNKS));
  }
  await tenant.transaction((tx) => updateToGone(tx, id));
}

async function deleteEnded(
  tenant: TenantContext,
  before: Date,
  signal: AbortSignal,
): Promise<number> {
  let deleted = 0;
  const list = () => tenant.transaction((tx) => listEndedBefore(tx, before, FILES_AT_ONCE));
  for (let ids = await list(); ids.length > 0; ids = await list()) {
    for (const id of ids) {
      for (let count = BATCH_OUTCOMES; count === BATCH_OUTCOMES; ) {
        if (signal.aborted) throw new Error("Interrupted: the rest follows in the next run.");
        count = await tenant.transaction((tx) => deleteOutcomes(tx, id, BATCH_OUTCOMES));
      }
      await tenant.transaction((tx) => deleteFile(tx, id));
      deleted += 1;
    }
  }
  return deleted;
}
