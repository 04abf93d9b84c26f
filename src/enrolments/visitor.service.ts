import { Call } from "#kernel/call.ts";
import type { TenantContext } from "#kernel/context.ts";
import { isTenantId } from "#kernel/db/scope.ts";
import { ANONYMOUS } from "#kernel/http/anonymous.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";

export type Visitor = {
  readonly tenantId: string;
  readonly op: string;
  readonly requestId: string;
};

/**
 * The call in which a visitor without a credential is served; undefined if there is no such tenant.
 * It does not have the address of the visitor: nothing that is kept of an enrolment tells it.
 */
export async function callOf(
  runtime: Runtime,
  visitor: Visitor,
): Promise<TenantContext | undefined> {
  if (!isTenantId(visitor.tenantId)) return undefined;
  const tenantSince = (await tenantCacheOf(runtime).find(visitor.tenantId))?.createdAt;
  if (tenantSince === undefined) return undefined;
  return new Call(runtime, { ...visitor, tenantSince, actor: ANONYMOUS, ip: "" });
}
