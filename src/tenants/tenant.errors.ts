import { defineError } from "#kernel/errors.ts";
import { describeRight, type MissingRight } from "#kernel/http/right-missing.ts";

export const tenantIdReserved = defineError({
  code: "tenant.id-reserved",
  status: 400,
  title: "Tenant id is reserved",
  detail: ({ tenantId }: { tenantId: string }) =>
    `'${tenantId}' is a word of the API itself; choose another tenant id.`,
  errors: () => ({ tenantId: ["must not be a word of the API itself"] }),
});

export const tenantCreationForbidden = defineError({
  code: "tenant.creation-forbidden",
  status: 403,
  title: "Not permitted",
  detail: (missing: MissingRight) => `Creating a tenant needs ${describeRight(missing)}.`,
  members: (missing) => ({ ...missing }),
});

export const tenantBeingErased = defineError({
  code: "tenant.being-erased",
  status: 409,
  title: "Tenant is being erased",
  detail: ({ tenantId }: { tenantId: string }) =>
    `The former tenant '${tenantId}' is still being erased; its id is free in a moment.`,
  headers: () => ({ "retry-after": "10" }),
});
