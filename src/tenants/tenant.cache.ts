import { systemCall } from "#kernel/call.ts";
import { messageOf } from "#kernel/errors.ts";
import type { RateLimit } from "#kernel/http/route.ts";
import { RecentMap } from "#kernel/recent-map.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { findKnownTenant, findTenantByDomain, type KnownTenant } from "./tenant.repository.ts";
import { TENANT_SIGNAL } from "./tenant.signal.ts";

type RateLimits = Readonly<Record<string, RateLimit>> | undefined;

export type TenantCache = {
  find(tenantId: string): Promise<KnownTenant | undefined>;
  /** The limits last known, refreshed in the background; a promise only for a tenant not known yet. */
  rateLimits(tenantId: string): RateLimits | Promise<RateLimits>;
  /** The tenant that serves a host name of its own. */
  findByDomain(domain: string): Promise<string | undefined>;
};

/** Below a second, so that a change holds everywhere in time even when its signal was lost. */
const AGE_MS_MAX = 900;
const ENTRIES_MAX = 10_000;

const caches = new WeakMap<Runtime, TenantCache>();

export function tenantCacheOf(runtime: Runtime): TenantCache {
  let cache = caches.get(runtime);
  if (cache === undefined) {
    cache = createTenantCache(runtime);
    caches.set(runtime, cache);
  }
  return cache;
}

type Entry<Value> = { readonly value: Value; readonly loadedAt: number };

/** Values by name that are loaded once at a time and forgotten within a second. */
class BriefCache<Value> {
  readonly #entries = new RecentMap<Entry<Value>>(ENTRIES_MAX);
  readonly #loading = new Map<string, Promise<Value>>();
  readonly #load: (name: string) => Promise<Value>;
  #generation = 0;

  constructor(load: (name: string) => Promise<Value>) {
    this.#load = load;
  }

  /** Also a value past its time, for those who cannot wait. */
  last(name: string): { readonly value: Value; readonly isFresh: boolean } | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    return { value: entry.value, isFresh: performance.now() - entry.loadedAt <= AGE_MS_MAX };
  }

  async get(name: string): Promise<Value> {
    const last = this.last(name);
    if (last?.isFresh) return last.value;
    const loading = this.#loading.get(name) ?? this.#start(name);
    return await loading;
  }

  #start(name: string): Promise<Value> {
    const generation = this.#generation;
    const askedAt = performance.now();
    const started = this.#load(name)
      .then((value) => {
        // What was read before a change was told must not be kept beyond it.
        if (generation === this.#generation) {
          this.#entries.set(name, { value, loadedAt: askedAt });
        }
        return value;
      })
      .finally(() => {
        if (this.#loading.get(name) === started) this.#loading.delete(name);
      });
    this.#loading.set(name, started);
    return started;
  }

  forget(name?: string): void {
    this.#generation += 1;
    this.#loading.clear();
    if (name === undefined) this.#entries.clear();
    else this.#entries.delete(name);
  }
}

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
