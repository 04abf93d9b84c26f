import { PLATFORM_SCOPE } from "#kernel/actor.ts";
import { SCOPES } from "#src/api-keys/public.ts";
import type { AdministratorRole } from "../administrators/administrator.schema.ts";

/** What the protocol itself knows: who somebody is, and for how long. They give no right to the API. */
export const OPENID_SCOPES: readonly string[] = ["openid", "profile", "email", "offline_access"];

const TENANT_SCOPES: readonly string[] = SCOPES.map(({ bearer }) => bearer);

/** Every scope of the API as bearer tokens carry it. */
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
  /** Of what was asked for: scopes of the protocol, and those of the API that the role gives. */
  readonly scopes: readonly string[];
  /** Something of the API was asked for, and the role gives none of it. */
  readonly isEmptyHanded: boolean;
};

export function grantTo(role: AdministratorRole, asked: readonly string[]): Granted {
  const given = new Set([...OPENID_SCOPES, ...scopesOfRole(role)]);
  const scopes = asked.filter((scope) => given.has(scope));
  const isOfApi = (scope: string) => API_SCOPES.includes(scope);
  return { scopes, isEmptyHanded: asked.some(isOfApi) && !scopes.some(isOfApi) };
}
