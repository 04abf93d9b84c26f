import { BriefCache } from "#kernel/brief-cache.ts";
import { systemCall } from "#kernel/call.ts";
import { messageOf } from "#kernel/errors.ts";
import type { RateLimit } from "#kernel/http/route.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { findKnownTenant, findTenantByDomain, type KnownTenant } from "./tenant.repository.ts";
import { TENANT_SIGNAL } from "./tenant.signal.ts";

type RateLimits = Readonly<Record<string, RateLimit>> | undefined;

export type TenantCache = {
  find(tenantId: string): Promise<KnownTenant | undefined>;
  /**
   * Returns the limits that were last known and refreshes them in the background. Returns a promise
   * only if the tenant is not known yet.
   */
  rateLimits(tenantId: string): RateLimits | Promise<RateLimits>;
  /** Finds the tenant with this custom domain. */
  findByDomain(domain: string): Promise<string | undefined>;
};

export const tenantCacheOf = perRuntime(createTenantCache);

function createTenantCache(runtime: Runtime): TenantCache {
  const tenants = new BriefCache((tenantId) =>
    findKnownTenant(systemCall(runtime, "tenant.load", { tenantId })),
  );
  const domains = new BriefCache((domain) =>
    findTenantByDomain(systemCall(runtime, "tenant.load"), domain),
  );
  runtime.signals.on(TENANT_SIGNAL, (tenantId) => {
    tenants.forget(tenantId);
    domains.forget();
  });
  runtime.signals.onGap(() => {
    tenants.forget();
    domains.forget();
  });

  return {
    find: (tenantId) => tenants.get(tenantId),
    findByDomain: (domain) => domains.get(domain),
    rateLimits(tenantId) {
      const last = tenants.last(tenantId);
      if (last?.isFresh) return last.value?.settings.rateLimits;
      const loaded = tenants.get(tenantId).then(
        (tenant) => tenant?.settings.rateLimits,
        (error: unknown) => {
          const reason = messageOf(error);
          runtime.log.warn({ tenantId, reason }, "tenant settings not refreshed");
          return undefined;
        },
      );
      return last === undefined ? loaded : last.value?.settings.rateLimits;
    },
  };
}
