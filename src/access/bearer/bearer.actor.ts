import { type Actor, PLATFORM_SCOPE } from "#kernel/actor.ts";
import { BEARER_SCOPE_NAMES, fromBearerScope } from "#src/api-keys/public.ts";

/** What a token or an account says about a person, before the tenant of the request is looked at. */
export type Person = {
  readonly id: string;
  readonly credentialId: string;
  readonly isGlobal: boolean;
  readonly isTenantAdministrator: boolean;
  readonly tenants: ReadonlySet<string>;
  /** Bearer form, as the token carries them. */
  readonly scopes: readonly string[];
};

/** The role says where, the scopes of the token say what for: neither gives anything alone. */
export function actorOf(person: Person): Actor {
  return {
    kind: "administrator",
    id: person.id,
    credentialId: person.credentialId,
    scopes: new Set(person.scopes.map(keyForm).filter((scope) => scope !== undefined)),
    reach: reachOf(person),
    scopeNames: BEARER_SCOPE_NAMES,
  };
}

function keyForm(scope: string): string | undefined {
  return scope === PLATFORM_SCOPE ? PLATFORM_SCOPE : fromBearerScope(scope);
}

function reachOf({ isGlobal, isTenantAdministrator, tenants }: Person): Actor["reach"] {
  if (isGlobal) return "everywhere";
  return isTenantAdministrator ? tenants : new Set();
}

export function mayEnter({ isGlobal, tenants }: Person, tenantId: string): boolean {
  return isGlobal || tenants.has(tenantId);
}
