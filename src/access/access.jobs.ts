import Type from "typebox";
import { inBatches, type Purge, purgeInTurns, purgeTenant } from "#kernel/jobs/batches.ts";
import { defineJob, type JobDefinition } from "#kernel/jobs/define.ts";
import type { Purger } from "#src/scheduler/public.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { deleteAuditBefore, listTenantsWithAudit } from "./audit.repository.ts";
import { deleteExpiredRecords } from "./authorization/authorization.repository.ts";
import { deleteExpiredBrowsers } from "./sign-in/known-browser.repository.ts";
import { deleteOldAttempts } from "./sign-in/sign-in-attempt.repository.ts";
import { deleteExpiredLinks } from "./sign-in/sign-in-link.repository.ts";

const EXPIRED_ROWS = 5_000;
const EXPIRED = [
  deleteExpiredLinks,
  deleteOldAttempts,
  deleteExpiredBrowsers,
  deleteExpiredRecords,
] as const;

/** Deletes expired rows only to keep the tables small: no query returns them. */
export const purgeSignIns = defineJob({
  name: "sign-in.purge",
  payload: Type.Object({}),
  cron: "*/15 * * * *",
  async run(context, _payload, signal) {
    // In short transactions, because sessions are written at the same time.
    for (const deleteExpired of EXPIRED) {
      await inBatches(EXPIRED_ROWS, signal, () =>
        context.transaction((tx) => deleteExpired(tx, EXPIRED_ROWS)),
      );
    }
  },
});

const DAY_MS = 86_400_000;
const AUDIT_ROWS = 1_000;

const oldAudit: Purge = {
  rowsMax: AUDIT_ROWS,
  async run(context) {
    const known = await tenantCacheOf(context.runtime).find(context.tenantId);
    const days = known?.settings.retention?.auditDays;
    if (days === undefined) return 0;
    const before = new Date(context.clock.now().getTime() - days * DAY_MS);
    return await context.transaction((tx) => deleteAuditBefore(tx, before, AUDIT_ROWS));
  },
};

/** Deletes audit rows that are older than `retention.auditDays`; without it they are kept. */
export const purgeAudit = defineJob({
  name: "audit.purge",
  payload: Type.Object({}),
  cron: "27 * * * *",
  concurrency: 1,
  timeoutSeconds: 3_000,
  async run(context, _payload, signal) {
    await purgeInTurns(context, await listTenantsWithAudit(context), oldAudit, signal);
  },
});

export const auditPurger: Purger = {
  name: "auditRows",
  purge: (context, signal) => purgeTenant(context, oldAudit, signal),
};

export const accessJobs: readonly JobDefinition[] = [purgeSignIns, purgeAudit];
