import { PLATFORM_SCOPE } from "#kernel/actor.ts";
import { SCOPES } from "#src/api-keys/public.ts";
import type { AdministratorRole } from "../administrators/administrator.schema.ts";

/** The scopes of OpenID itself, for identity and refresh tokens. They give no right in the API. */
export const OPENID_SCOPES: readonly string[] = ["openid", "profile", "email", "offline_access"];

const TENANT_SCOPES: readonly string[] = SCOPES.map(({ bearer }) => bearer);

/** All scopes of the API, in the bearer form. */
export const API_SCOPES: readonly string[] = [...TENANT_SCOPES, PLATFORM_SCOPE];

const KNOWN = new Set([...OPENID_SCOPES, ...API_SCOPES]);

export function scopesOfRole(role: AdministratorRole): readonly string[] {
  return role === "global" ? API_SCOPES : TENANT_SCOPES;
}

export function wordsOf(scope: string | undefined): string[] {
  return (scope ?? "").split(" ").filter((word) => word !== "");
}

export function unknownScopes(asked: Iterable<string>): string[] {
  return [...asked].filter((scope) => !KNOWN.has(scope));
}

export type Granted = {
  /** The requested scopes of OpenID, and the requested scopes of the API that the role gives. */
  readonly scopes: readonly string[];
  /** True if scopes of the API were requested and the role gives none of them. */
  readonly isEmptyHanded: boolean;
};

export function grantTo(role: AdministratorRole, asked: readonly string[]): Granted {
  const given = new Set([...OPENID_SCOPES, ...scopesOfRole(role)]);
  const scopes = asked.filter((scope) => given.has(scope));
  const isOfApi = (scope: string) => API_SCOPES.includes(scope);
  return { scopes, isEmptyHanded: asked.some(isOfApi) && !scopes.some(isOfApi) };
}
