import { BriefCache } from "#kernel/brief-cache.ts";
import type { TenantContext } from "#kernel/context.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import { findSecretsStamp } from "./secret.repository.ts";
import { SECRET_SIGNAL } from "./secret.service.ts";

const stampsIn = perRuntime((runtime) => {
  const stamps = new BriefCache((tenantId) => findSecretsStamp(runtime, tenantId));
  runtime.signals.on(SECRET_SIGNAL, (tenantId) => stamps.forget(tenantId));
  runtime.signals.onGap(() => stamps.forget());
  return stamps;
});

/**
 * Returns a text that differs after every change of the tenant's secrets, as of less than a second
 * ago. For modules that keep what they made of secrets and must hear of new ones.
 */
export function secretsStampOf({ runtime, tenantId }: TenantContext): Promise<string> {
  return stampsIn(runtime).get(tenantId);
}
