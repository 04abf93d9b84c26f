import { defineError, ProblemError } from "#kernel/errors.ts";

// Also for a customer of another tenant: callers must not learn that the customer exists.
export const customerNotFound = defineError({
  code: "customer.not-found",
  status: 404,
  title: "Customer not found",
  detail: ({ customerId }: { customerId: string }) =>
    `This tenant has no customer '${customerId}'.`,
});

export const customerIdentifierTaken = defineError({
  code: "customer.identifier-taken",
  status: 409,
  title: "Another customer has this identifier",
  detail: ({ name, customerId }: { name: string; customerId: string }) =>
    `Customer '${customerId}' has the same '${name}'.`,
  members: ({ name, customerId }) => ({ customerId, identifier: name }),
});

/** True if another customer has an identifier of the one to be created or changed. */
export function isIdentifierTaken(error: unknown): boolean {
  return error instanceof ProblemError && error.code === customerIdentifierTaken.code;
}

export const customerTooManyPasses = defineError({
  code: "customer.too-many-passes",
  status: 409,
  title: "Too many passes share an identifier with this customer",
  detail: ({ most }: { most: number }) =>
    `More than ${most} passes share an identifier with this customer. Is that identifier really of one person? Erase the passes first.`,
});
