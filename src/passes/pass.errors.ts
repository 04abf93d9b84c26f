import { defineError } from "#kernel/errors.ts";

// Also for a pass of another tenant: the two cases must be indistinguishable.
export const passNotFound = defineError({
  code: "pass.not-found",
  status: 404,
  title: "Pass not found",
  detail: ({ passId }: { passId: string }) => `This tenant has no pass '${passId}'.`,
});

export const passIdentifierTaken = defineError({
  code: "pass.identifier-taken",
  status: 409,
  title: "Another pass has this identifier",
  detail: ({ name, passId }: { name: string; passId: string }) =>
    `Pass '${passId}' has the same '${name}', which the template calls unique.`,
  members: ({ name, passId }) => ({ passId, identifier: name }),
});

export const passIdentifierAmbiguous = defineError({
  code: "pass.identifier-ambiguous",
  status: 409,
  title: "Several passes have this identifier",
  detail: ({ name }: { name: string; value: string }) =>
    `More than one pass has this '${name}'. Name the pass by its id, or by an identifier that is unique.`,
  members: ({ name, value }) => ({ identifier: name, value }),
});
