import { defineError } from "#kernel/errors.ts";

export const callbackMalformed = defineError({
  code: "google-callback.malformed",
  status: 400,
  title: "The callback cannot be read",
  detail: () => "The body is not a callback of Google Wallet.",
});

export const callbackForged = defineError({
  code: "google-callback.forged",
  status: 401,
  title: "The callback is not signed by Google",
  detail: () => "The signature of the callback does not verify for the issuer of this tenant.",
});
