import type { Actor } from "../actor.ts";

/** The caller of a public route: not identified and without any right. */
export const ANONYMOUS: Actor = {
  kind: "system",
  id: "anonymous",
  scopes: new Set(),
  reach: new Set(),
  scopeNames: new Map(),
  credentialId: "anonymous",
};
