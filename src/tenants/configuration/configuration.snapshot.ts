import type { CallContext, TenantContext } from "#kernel/context.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import { RecentMap } from "#kernel/recent-map.ts";
import { tenantNotFound } from "#kernel/tenant.errors.ts";
import type { TenantSettings } from "../settings/tenant.settings.ts";
import { tenantCacheOf } from "../tenant.cache.ts";
import { findKnownTenant, type KnownTenant } from "../tenant.repository.ts";
import * as files from "./configuration.repository.ts";

/** The files of a version. */
export type StoredFiles = {
  readonly entries: ReadonlyMap<string, files.FileEntry>;
  read(path: string): Promise<Buffer | undefined>;
};

/** A published version, as used by one or many calls. */
export type Configuration = StoredFiles & {
  readonly tenantId: string;
  readonly version: number;
  readonly settings: TenantSettings;
  /** Makes a value from this version once and keeps it as long as the version is kept in memory. */
  derive<Value>(name: string, make: () => Promise<Value>): Promise<Value>;
};

const CONFIGURATIONS_MAX = 500;

const loadedIn = perRuntime(() => new RecentMap<Promise<Configuration>>(CONFIGURATIONS_MAX));
const byCall = new WeakMap<CallContext, Promise<Configuration>>();

/** The version that was in force when the call first asked: a request sees one version only. */
export function configurationOf(context: TenantContext): Promise<Configuration> {
  let pinned = byCall.get(context);
  if (pinned === undefined) {
    pinned = findCurrent(context);
    byCall.set(context, pinned);
  }
  return pinned;
}

/**
 * The version that the database has now, also for the rest of this call. For work that a
 * publication started: such work may begin before this process has heard of the publication.
 */
export async function newestConfigurationOf(context: TenantContext): Promise<Configuration> {
  const newest = findKnownTenant(context).then((known) => open(context, known));
  byCall.set(context, newest);
  return await newest;
}

async function findCurrent(context: TenantContext): Promise<Configuration> {
  return await open(context, await tenantCacheOf(context.runtime).find(context.tenantId));
}

async function open(
  context: TenantContext,
  known: KnownTenant | undefined,
): Promise<Configuration> {
  const { tenantId, tenantSince, runtime } = context;
  const isOther = tenantSince !== undefined && tenantSince.getTime() !== known?.createdAt.getTime();
  if (known === undefined || isOther) throw tenantNotFound({ tenantId });
  const loaded = loadedIn(runtime);
  const key = `${tenantId} ${known.createdAt.getTime()} ${known.version}`;
  const found = loaded.get(key);
  if (found !== undefined) return await found;
  const loading = load(context, known.version, known.settings);
  loaded.set(key, loading);
  loading.catch(() => loaded.delete(key));
  return await loading;
}

async function load(
  context: TenantContext,
  version: number,
  settings: TenantSettings,
): Promise<Configuration> {
  const { tenantId } = context;
  const stored = await storedFiles(context, version);
  return { tenantId, version, settings, ...stored, derive: keepDerived() };
}

export async function storedFiles(context: TenantContext, version: number): Promise<StoredFiles> {
  const { tenantId, runtime } = context;
  const list = await files.listEntries(context, version);
  const entries = new Map(list.map((entry) => [entry.path, entry]));
  return {
    entries,
    async read(path) {
      const entry = entries.get(path);
      if (entry === undefined) return undefined;
      return await files.findContentOf(runtime, tenantId, entry.hash);
    },
  };
}

/** The version that a publication is about to store: its files are still in memory alone. */
export function nextConfiguration(
  facts: Pick<Configuration, "tenantId" | "version" | "settings">,
  { files: set, hashes }: files.HashedFiles,
): Configuration {
  // In the order in which the database lists them.
  const paths = [...set.keys()].sort();
  const entries = paths.map((path): [string, files.FileEntry] => {
    const [hash, size] = [hashes.get(path) as Buffer, set.get(path)?.length ?? 0];
    return [path, { path, hash, size }];
  });
  const read = async (path: string) => set.get(path);
  return { ...facts, entries: new Map(entries), read, derive: keepDerived() };
}

function keepDerived(): Configuration["derive"] {
  const derived = new Map<string, Promise<unknown>>();
  return <Value>(name: string, make: () => Promise<Value>): Promise<Value> => {
    const known = derived.get(name) as Promise<Value> | undefined;
    if (known !== undefined) return known;
    const making = make();
    derived.set(name, making);
    making.catch(() => derived.delete(name));
    return making;
  };
}
