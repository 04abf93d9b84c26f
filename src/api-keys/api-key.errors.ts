import { defineError } from "#kernel/errors.ts";

// Also for a key of another tenant: callers must not learn that the key exists.
export const apiKeyNotFound = defineError({
  code: "api-key.not-found",
  status: 404,
  title: "API key not found",
  detail: ({ name }: { name: string }) => `This tenant has no API key '${name}'.`,
});

export const apiKeyNameTaken = defineError({
  code: "api-key.name-taken",
  status: 409,
  title: "API key name is taken",
  detail: ({ name }: { name: string }) => `This tenant already has an API key '${name}'.`,
});

export const apiKeyScopeNotHeld = defineError({
  code: "api-key.scope-not-held",
  status: 403,
  title: "Not permitted",
  detail: ({ scopes }: { scopes: readonly string[] }) =>
    `You cannot grant what you do not hold: ${scopes.join(", ")}.`,
  members: ({ scopes }) => ({ missingScopes: scopes }),
});
