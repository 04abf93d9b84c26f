import { defineError } from "#kernel/errors.ts";

// Also for a secret of another tenant: callers must not learn that the secret exists.
export const secretNotFound = defineError({
  code: "secret.not-found",
  status: 404,
  title: "Secret not found",
  detail: ({ key }: { key: string }) => `This tenant has no secret '${key}'.`,
});

export const secretUnreadable = defineError({
  code: "secret.unreadable",
  status: 409,
  title: "Secret cannot be read",
  detail: ({ key }: { key: string }) =>
    `What is stored as '${key}' was changed outside of this service. Store its value again.`,
});
