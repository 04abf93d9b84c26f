import { defineError } from "#kernel/errors.ts";

export const PASSES_MIN = 2;
export const PASSES_MAX = 10;

/** Apple takes 150 MB. What a phone loads over a mobile network has to be less. */
export const PASSES_BYTES_MAX = 60 * 1024 * 1024;

export const applePassesSize = defineError({
  code: "wallet.apple-passes-size",
  status: 409,
  title: "Passes too large together",
  detail: () => "The pictures of these passes are too large for one file. Send them in two.",
});

export const applePassesCount = defineError({
  code: "wallet.apple-passes-count",
  status: 400,
  title: "Wrong number of passes",
  detail: ({ count }: { count: number }) =>
    `Apple Wallet takes ${PASSES_MIN} to ${PASSES_MAX} different passes at once, not ${count}.`,
});
