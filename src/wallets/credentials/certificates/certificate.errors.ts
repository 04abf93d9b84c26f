import { defineError } from "#kernel/errors.ts";

export const appleNextMissing = defineError({
  code: "apple-certificate.next-missing",
  status: 409,
  title: "No certificate waits",
  detail: () => "The slot 'next' is empty. Put a certificate there first.",
});

export const appleNextUnusable = defineError({
  code: "apple-certificate.next-unusable",
  status: 409,
  title: "The certificate that waits cannot be used",
  detail: ({ problems }: { problems: readonly string[] }) => problems.join(" "),
});
