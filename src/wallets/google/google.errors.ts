import { defineError } from "#kernel/errors.ts";

export const googleNotConfigured = defineError<{ reason: string }>({
  code: "wallet.google-not-configured",
  status: 409,
  title: "Google Wallet is not set up",
  detail: ({ reason }) => reason,
});

export const googleDenied = defineError<{ message: string }>({
  code: "wallet.google-denied",
  status: 409,
  title: "Google does not accept the service account",
  detail: ({ message }) =>
    `Google answered: ${message} Add the service account as a user of the issuer in the Google Pay and Wallet console.`,
});

export const googleRefused = defineError<{ message: string }>({
  code: "wallet.google-refused",
  status: 409,
  title: "Google refused the content",
  detail: ({ message }) => `Google answered: ${message}`,
});

export const googleUnavailable = defineError({
  code: "wallet.google-unavailable",
  status: 503,
  title: "Google Wallet cannot be reached",
  detail: () => "Google Wallet does not answer at the moment. Try again shortly.",
  headers: () => ({ "retry-after": "5" }),
});
