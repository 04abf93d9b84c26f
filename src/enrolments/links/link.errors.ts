import { defineError } from "#kernel/errors.ts";

// Also for a link of another tenant: callers must not learn that the link exists.
export const linkNotFound = defineError({
  code: "enrolment-link.not-found",
  status: 404,
  title: "Enrolment link not found",
  detail: ({ code }: { code: string }) => `This tenant has no enrolment link '${code}'.`,
});

export const linkTaken = defineError({
  code: "enrolment-link.taken",
  status: 409,
  title: "There is such a link already",
  detail: ({ code }: { code: string }) =>
    `This tenant has an enrolment link '${code}' already. Change that one, or choose another code.`,
});

export const linkTooMany = defineError({
  code: "enrolment-link.too-many",
  status: 409,
  title: "Too many enrolment links",
  detail: ({ most }: { most: number }) =>
    `This tenant has ${most} enrolment links, as many as it can have. Delete one that is not needed.`,
});
