import { defineError } from "#kernel/errors.ts";

export const PASSES_MIN = 2;
export const PASSES_MAX = 10;

export const applePassesCount = defineError({
  code: "wallet.apple-passes-count",
  status: 400,
  title: "Wrong number of passes",
  detail: ({ count }: { count: number }) =>
    `Apple Wallet takes ${PASSES_MIN} to ${PASSES_MAX} different passes at once, not ${count}.`,
});
