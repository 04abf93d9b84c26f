import type { Runtime } from "#kernel/runtime.ts";
import { findAdministrator } from "./administrator.repository.ts";
import type { Administrator } from "./administrator.schema.ts";

export const ADMINISTRATOR_SIGNAL = "administrator";

/** Below a second, so that a change holds everywhere in time even when its signal was lost. */
const AGE_MS_MAX = 900;
const ENTRIES_MAX = 1_000;

export type AdministratorCache = {
  /** Undefined for one that is disabled or was deleted. */
  find(id: string): Promise<Administrator | undefined>;
};

type Entry = { readonly found: Promise<Administrator | undefined>; readonly loadedAt: number };

export function createAdministratorCache(runtime: Runtime): AdministratorCache {
  const entries = new Map<string, Entry>();

  function load(id: string): Entry {
    const entry = { found: findAdministrator(runtime, id), loadedAt: performance.now() };
    // A read that failed is not an answer to keep.
    entry.found.catch(() => {
      if (entries.get(id) === entry) entries.delete(id);
    });
    if (entries.size >= ENTRIES_MAX) entries.clear();
    entries.set(id, entry);
    return entry;
  }

  runtime.signals.on(ADMINISTRATOR_SIGNAL, (id) => entries.delete(id));
  runtime.signals.onGap(() => entries.clear());

  return {
    async find(id) {
      const known = entries.get(id);
      const isFresh = known !== undefined && performance.now() - known.loadedAt < AGE_MS_MAX;
      const administrator = await (isFresh ? known : load(id)).found;
      return administrator?.disabled === false ? administrator : undefined;
    },
  };
}
