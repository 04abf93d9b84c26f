import type { SystemContext, TenantContext } from "../context.ts";
import { isTenantNotFound } from "../tenant.errors.ts";

/**
 * One tenant's part of work for many. Undefined if the tenant has ended: its rows are seen until they are
 * erased, and must not keep the other tenants from their part.
 */
export async function runInTenant<Result>(
  context: SystemContext,
  tenantId: string,
  work: (tenant: TenantContext) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work(context.forTenant(tenantId));
  } catch (error) {
    if (isTenantNotFound(error)) return undefined;
    throw error;
  }
}
