import { defineError } from "#kernel/errors.ts";

// The same for a code that never was, was used, was replaced or has expired: whoever guesses learns
// nothing from the answer.
export const pairingCodeUnknown = defineError({
  code: "pairing.code-unknown",
  status: 404,
  title: "Code not found",
  detail: () =>
    "This code is not valid: it is mistyped, used, replaced or older than ten minutes. Ask for a new one.",
});
