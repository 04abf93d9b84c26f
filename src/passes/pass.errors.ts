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

// The value is not repeated: it may name a person, and problems are logged.
export const passNotFoundBy = defineError({
  code: passNotFound.code,
  status: passNotFound.status,
  title: passNotFound.title,
  detail: ({ name }: { name: string }) => `This tenant has no pass with this '${name}'.`,
});

export const passIdentifierAmbiguous = defineError({
  code: "pass.identifier-ambiguous",
  status: 409,
  title: "Several passes have this identifier",
  detail: ({ name }: { name: string }) =>
    `More than one pass has this '${name}'. Name the pass by its id, or by an identifier that is unique.`,
  members: ({ name }) => ({ identifier: name }),
});

export const passIdentifiersDiffer = defineError({
  code: "pass.identifiers-differ",
  status: 409,
  title: "Identifiers of different passes",
  detail: () => "The identifiers do not all belong to the same pass, so nothing was done.",
});
