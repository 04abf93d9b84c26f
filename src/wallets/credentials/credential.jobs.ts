import type { X509Certificate } from "node:crypto";
import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { messageOf, ProblemError } from "#kernel/errors.ts";
import { defineJob, type JobDefinition } from "#kernel/jobs/define.ts";
import { listSecretHolders } from "#src/secrets/public.ts";
import { readSlots } from "./certificates/slot.service.ts";
import { daysUntil, nameOnOneLine, readSlot } from "./certificates/slot.texts.ts";
import { credentialExpiring } from "./credential.events.ts";
import { insertNotices } from "./credential.repository.ts";

/** So many days before a certificate expires, its tenant is told. */
const MARKS_DAYS = [60, 30, 7, 1] as const;
const TENANTS_AT_ONCE = 500;

/** Tells tenants of certificates in use that expire soon, each mark once. */
export const checkCredentials = defineJob({
  name: "credential.check",
  payload: Type.Object({}),
  cron: "23 5 * * *",
  concurrency: 1,
  timeoutSeconds: 1_800,
  async run(context, _payload, signal) {
    for (let after = ""; !signal.aborted; ) {
      const tenantIds = await listSecretHolders(context, after, TENANTS_AT_ONCE);
      for (const tenantId of tenantIds) {
        if (!signal.aborted) await tellOrGoOn(context.forTenant(tenantId));
      }
      const last = tenantIds.at(-1);
      if (last === undefined || tenantIds.length < TENANTS_AT_ONCE) return;
      after = last;
    }
  },
});

/** A tenant whose configuration is broken, or that is being deleted, keeps no other from its news. */
async function tellOrGoOn(context: TenantContext): Promise<void> {
  try {
    await tellExpiring(context);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const facts = { tenantId: context.tenantId, reason: messageOf(error) };
    context.log.warn(facts, "credentials of a tenant could not be checked");
  }
}

/** Tells a tenant of its certificates in use that expire soon, each mark once. */
export async function tellExpiring(context: TenantContext): Promise<void> {
  const { settings, current } = await readSlots(context);
  const slot = settings === undefined ? undefined : readSlot(current);
  if (slot === undefined) return;
  await tell(context, "certificate", slot.leaf);
  if (slot.issuer !== undefined) await tell(context, "intermediate", slot.issuer);
}

async function tell(
  context: TenantContext,
  kind: "certificate" | "intermediate",
  { subject, fingerprint256: fingerprint, validToDate }: X509Certificate,
): Promise<void> {
  const now = context.clock.now();
  const days = daysUntil(validToDate, now);
  const reached = MARKS_DAYS.filter((mark) => days <= mark);
  const nearest = reached.at(-1);
  if (nearest === undefined || validToDate <= now) return;
  await context.transaction(async (tx) => {
    // Marks that were passed unnoticed, as by a certificate stored late, are not told one by one.
    const told = await insertNotices(tx, fingerprint, reached);
    if (!told.includes(nearest)) return;
    tx.emit(credentialExpiring, {
      wallet: "apple",
      kind,
      expiresAt: validToDate.toISOString(),
      days,
      subject: nameOnOneLine(subject),
      fingerprint,
    });
  });
}

export const credentialJobs: readonly JobDefinition[] = [checkCredentials];
