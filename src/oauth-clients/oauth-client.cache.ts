import { BriefCache } from "#kernel/brief-cache.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { findOAuthClient } from "./oauth-client.repository.ts";
import { OAUTH_CLIENT_SIGNAL } from "./oauth-client.service.ts";

/** Checks whether a client is registered, as of less than a second ago. */
export function createOAuthClientCheck(runtime: Runtime): (clientId: string) => Promise<boolean> {
  const known = new BriefCache(async (id) => (await findOAuthClient(runtime, id)) !== undefined);
  runtime.signals.on(OAUTH_CLIENT_SIGNAL, (clientId) => known.forget(clientId));
  runtime.signals.onGap(() => known.forget());
  return (clientId) => known.get(clientId);
}
