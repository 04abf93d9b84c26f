import { defineError } from "#kernel/errors.ts";

export const administratorNotFound = defineError({
  code: "administrator.not-found",
  status: 404,
  title: "Administrator not found",
  detail: ({ administratorId }: { administratorId: string }) =>
    `There is no administrator '${administratorId}'.`,
});

export const administratorEmailTaken = defineError({
  code: "administrator.email-taken",
  status: 409,
  title: "The e-mail address is taken",
  detail: ({ email }: { email: string }) => `Another administrator signs in as '${email}'.`,
});

// Without a Global Administrator, only the operator key could create administrators.
export const administratorIsLast = defineError({
  code: "administrator.is-last",
  status: 409,
  title: "The last Global Administrator stays",
  detail: () =>
    "This is the last enabled Global Administrator. Make somebody else one first, then try again.",
});
