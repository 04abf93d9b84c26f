import { defineError } from "#kernel/errors.ts";

export const appleNotConfigured = defineError({
  code: "wallet.apple-not-configured",
  status: 409,
  title: "Apple Wallet is not set up",
  detail: () =>
    "No certificate for Apple Wallet is stored, so no pass can be signed. Name it in server/apple.yml and store the secrets that the file names.",
});

export const appleNotUsable = defineError({
  code: "wallet.apple-not-usable",
  status: 409,
  title: "The certificate for Apple Wallet cannot be used",
  detail: ({ problems }: { problems: readonly string[] }) =>
    `No pass can be signed for Apple Wallet. ${problems.join(" ")}`,
});
