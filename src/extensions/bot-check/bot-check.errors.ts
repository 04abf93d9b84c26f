import { defineError } from "#kernel/errors.ts";

type Facts = { readonly detail: string; readonly codes: readonly string[] };

export const botCheckRefused = defineError<Facts>({
  code: "bot-check.refused",
  status: 403,
  title: "The visitor did not pass the bot check",
  detail: ({ detail }) => detail,
  members: ({ codes }) => ({ errorCodes: codes }),
});

export const botCheckUnavailable = defineError<Facts>({
  code: "bot-check.unavailable",
  status: 503,
  title: "The bot check could not be made",
  detail: ({ detail }) => `${detail} The visitor counts as refused.`,
  members: ({ codes }) => ({ errorCodes: codes }),
  headers: () => ({ "retry-after": "30" }),
});
