export type ActorKind = "operator" | "api-key" | "device" | "administrator" | "sftp" | "system";

/** The caller, after authentication. */
export type Actor = {
  readonly kind: ActorKind;
  /** Stable and safe to show: a key's name, an administrator's e-mail address, a device's id. */
  readonly id: string;
  /** What the credential may be used for, in the API key form (`Pass.Read`). */
  readonly scopes: Pick<ReadonlySet<string>, "has">;
  /**
   * The tenants in which the credential may be used; `everywhere` includes what belongs to no
   * tenant.
   */
  readonly reach: "everywhere" | ReadonlySet<string>;
  /**
   * The names of scopes as this credential writes them, by API key form; a scope that is not listed
   * is written in the API key form.
   */
  readonly scopeNames: ReadonlyMap<string, string>;
  /** The credential that rate limits and idempotency keys belong to. */
  readonly credentialId: string;
  /** When the tenant was created that an API key belongs to: another one may have had its id before. */
  readonly tenantSince?: Date;
};

/** The scope for what belongs to no tenant. No API key can have it. */
export const PLATFORM_SCOPE = "platform:admin";

/** In place of a scope, for what concerns nobody but the caller: any good credential will do. */
export const ANY_CREDENTIAL = "signed-in";

/** The scopes of callers that act for the installation itself. */
export const EVERY_SCOPE: Actor["scopes"] = { has: () => true };

/** A right needs both the role, which says where, and the scope, which says for what. */
export function isAllowed(actor: Actor, scope: string, tenantId: string | undefined): boolean {
  if (scope === ANY_CREDENTIAL) return true;
  return reaches(actor, scope, tenantId) && actor.scopes.has(scope);
}

export function reaches(
  { reach }: Pick<Actor, "reach">,
  scope: string,
  tenantId: string | undefined,
): boolean {
  if (reach === "everywhere") return true;
  return scope !== PLATFORM_SCOPE && tenantId !== undefined && reach.has(tenantId);
}

/** The name of a scope as the actor's credential writes it. */
export function scopeNameFor({ scopeNames }: Pick<Actor, "scopeNames">, scope: string): string {
  return scopeNames.get(scope) ?? scope;
}
