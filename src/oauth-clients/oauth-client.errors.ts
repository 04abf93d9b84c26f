import { defineError } from "#kernel/errors.ts";

export const oauthClientNotFound = defineError({
  code: "oauth-client.not-found",
  status: 404,
  title: "OAuth client not found",
  detail: ({ clientId }: { clientId: string }) => `There is no OAuth client '${clientId}'.`,
});
