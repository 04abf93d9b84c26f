import { BriefCache } from "#kernel/brief-cache.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { findAdministrator } from "./administrator.repository.ts";
import type { Administrator } from "./administrator.schema.ts";

export const ADMINISTRATOR_SIGNAL = "administrator";

export type AdministratorCache = {
  /** Returns undefined if the administrator is disabled or was deleted. */
  find(id: string): Promise<Administrator | undefined>;
};

export function createAdministratorCache(runtime: Runtime): AdministratorCache {
  const administrators = new BriefCache((id) => findAdministrator(runtime, id));
  runtime.signals.on(ADMINISTRATOR_SIGNAL, (id) => administrators.forget(id));
  runtime.signals.onGap(() => administrators.forget());
  return {
    async find(id) {
      const administrator = await administrators.get(id);
      return administrator?.disabled === false ? administrator : undefined;
    },
  };
}
