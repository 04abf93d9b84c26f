import type { Actor } from "#kernel/context.ts";
import { fromBearerScope } from "#src/api-keys/public.ts";

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

/**
 * A role gives everything in its tenants. A token that asked for particular scopes is held to them,
 * whatever the role: that is what asking for less is for.
 */
export function actorOf(person: Person): Actor {
  const asked = person.scopes.filter((scope) => scope.startsWith("tenant."));
  const isLimited = asked.length > 0;
  return {
    kind: "administrator",
    id: person.id,
    credentialId: person.credentialId,
    scopes: new Set(asked.map(fromBearerScope).filter((scope) => scope !== undefined)),
    isGlobalAdministrator: person.isGlobal && !isLimited,
    administeredTenants:
      person.isTenantAdministrator && !isLimited ? new Set(person.tenants) : new Set(),
  };
}

export function mayEnter({ isGlobal, tenants }: Person, tenantId: string): boolean {
  return isGlobal || tenants.has(tenantId);
}
