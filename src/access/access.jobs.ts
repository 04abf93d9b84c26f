import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { defineJob, type JobDefinition } from "#kernel/jobs/define.ts";
import { runInTenant } from "#kernel/jobs/run-in-tenant.ts";
import type { Purger } from "#src/scheduler/public.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { deleteAuditBefore, listTenantsWithAudit } from "./audit.repository.ts";
import { deleteExpiredRecords } from "./authorization/authorization.repository.ts";
import { deleteExpiredBrowsers } from "./sign-in/known-browser.repository.ts";
import { deleteOldAttempts } from "./sign-in/sign-in-attempt.repository.ts";
import { deleteExpiredLinks } from "./sign-in/sign-in-link.repository.ts";

const ROUNDS_MAX = 100;

/** Deletes expired rows only to keep the tables small: no query returns them. */
export const purgeSignIns = defineJob({
  name: "sign-in.purge",
  payload: Type.Object({}),
  cron: "*/15 * * * *",
  async run(context, _payload, signal) {
    await context.transaction(async (tx) => {
      await deleteExpiredLinks(tx);
      await deleteOldAttempts(tx);
      await deleteExpiredBrowsers(tx);
    });
    // Deletes in short transactions, because sessions are written at the same time.
    for (let round = 0; round < ROUNDS_MAX && !signal.aborted; round += 1) {
      if ((await context.transaction(deleteExpiredRecords)) === 0) return;
    }
  },
});

const DAY_MS = 86_400_000;
const AUDIT_ROWS = 1_000;

/** Deletes audit rows that are older than `retention.auditDays`; without it they are kept. */
export const purgeAudit = defineJob({
  name: "audit.purge",
  payload: Type.Object({}),
  cron: "27 * * * *",
  concurrency: 1,
  timeoutSeconds: 600,
  async run(context, _payload, signal) {
    for (const tenantId of await listTenantsWithAudit(context)) {
      await runInTenant(context, tenantId, (tenant) => purgeAuditOf(tenant, signal, ROUNDS_MAX));
    }
  },
});

async function purgeAuditOf(
  context: TenantContext,
  signal: AbortSignal,
  roundsMax: number,
): Promise<number> {
  const known = await tenantCacheOf(context.runtime).find(context.tenantId);
  const days = known?.settings.retention?.auditDays;
  if (days === undefined) return 0;
  const before = new Date(context.clock.now().getTime() - days * DAY_MS);
  let total = 0;
  for (let round = 0; round < roundsMax && !signal.aborted; round += 1) {
    const deleted = await context.transaction((tx) => deleteAuditBefore(tx, before, AUDIT_ROWS));
    total += deleted;
    if (deleted < AUDIT_ROWS) break;
  }
  return total;
}

export const auditPurger: Purger = {
  name: "auditRows",
  purge: (context, signal) => purgeAuditOf(context, signal, Number.POSITIVE_INFINITY),
};

export const accessJobs: readonly JobDefinition[] = [purgeSignIns, purgeAudit];
