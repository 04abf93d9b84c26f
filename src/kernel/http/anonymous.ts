import type { Actor } from "../context.ts";

/** The caller of a public route: nobody in particular, and without any right. */
export const ANONYMOUS: Actor = {
  kind: "system",
  id: "anonymous",
  scopes: new Set(),
  reach: new Set(),
  scopeNames: new Map(),
  credentialId: "anonymous",
};
