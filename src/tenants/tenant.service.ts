import type { TenantContext } from "#kernel/context.ts";
import { tenantNotFound } from "#kernel/tenant.errors.ts";
import { eraseTenant } from "./erasure/erasure.jobs.ts";
import { tenantDeleted } from "./tenant.events.ts";
import * as tenants from "./tenant.repository.ts";
import { TENANT_SIGNAL } from "./tenant.signal.ts";

/** Ends a tenant. From this commit on nobody has access; a job erases the rows. */
export async function deleteTenant(context: TenantContext): Promise<void> {
  const { tenantId } = context;
  await context.transaction(async (tx) => {
    const tenant = await tenants.findTenantForUpdate(tx);
    if (tenant === undefined || tenant.isDeleted) throw tenantNotFound({ tenantId });
    context.requireMatch(tenant.version);
    await tenants.markTenantDeleted(tx);
    tx.emit(tenantDeleted, { tenantId });
    tx.audit({ target: `tenant:${tenantId}`, before: { version: tenant.version } });
    tx.signal(TENANT_SIGNAL, tenantId);
    tx.enqueue(eraseTenant, { tenantId });
  });
}
