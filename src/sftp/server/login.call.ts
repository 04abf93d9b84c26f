import type { Actor } from "#kernel/actor.ts";
import { Call } from "#kernel/call.ts";
import type { TenantContext } from "#kernel/context.ts";
import { newId } from "#kernel/ids.ts";
import type { Runtime } from "#kernel/runtime.ts";
import type { Login } from "./login.service.ts";

/** Makes the calls of one session: all have the same request id, by which the audit trail shows them. */
export function callsOf(runtime: Runtime, login: Login, ip: string): (op: string) => TenantContext {
  const actor: Actor = {
    kind: "sftp",
    id: login.credentialName,
    // Nothing but the files of the drop is reached by this call, and none of them asks for a scope.
    scopes: new Set<string>(),
    reach: new Set([login.tenantId]),
    scopeNames: new Map(),
    credentialId: `sftp ${login.credentialName}`,
  };
  const requestId = newId("req", runtime.clock.now().getTime());
  const { tenantId, tenantSince } = login;
  return (op) => new Call(runtime, { tenantId, tenantSince, actor, requestId, op, ip });
}
