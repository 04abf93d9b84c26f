import { defineError } from "#kernel/errors.ts";

export const oauthClientNotFound = defineError({
  code: "oauth-client.not-found",
  status: 404,
  title: "OAuth client not found",
  detail: ({ clientId }: { clientId: string }) => `There is no OAuth client '${clientId}'.`,
});

/** With `AUTH_ISSUER`, the built-in authorization server does not run and needs no clients. */
export const oauthClientElsewhere = defineError({
  code: "oauth-client.other-issuer",
  status: 409,
  title: "OAuth clients are registered elsewhere",
  detail: ({ issuer }: { issuer: string }) =>
    `People sign in at '${issuer}' (AUTH_ISSUER): register the client there.`,
});
