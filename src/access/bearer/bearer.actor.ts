import { type Actor, PLATFORM_SCOPE } from "#kernel/actor.ts";
import { BEARER_SCOPE_NAMES, fromBearerScope } from "#src/api-keys/public.ts";

/** A person as a token or an account describes them. The tenant of the request is checked later. */
export type Person = {
  readonly id: string;
  readonly credentialId: string;
  readonly isGlobal: boolean;
  readonly isTenantAdministrator: boolean;
  readonly tenants: ReadonlySet<string>;
  /**
   * When another issuer named the tenants, in seconds. Undefined for accounts here, which lose a tenant
   * when it ends.
   */
  readonly tenantsNamedAt?: number;
  /** In the bearer form, such as `tenant.pass:read`. */
  readonly scopes: readonly string[];
};

/** A right needs both: the role gives the tenants, the scopes of the token the operations. */
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
