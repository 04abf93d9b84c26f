import { defineError } from "#kernel/errors.ts";

export const tenantIdReserved = defineError({
  code: "tenant.id-reserved",
  status: 400,
  title: "Tenant id is reserved",
  detail: ({ tenantId }: { tenantId: string }) =>
    `'${tenantId}' is a word of the API itself; choose another tenant id.`,
});

export const tenantCreationForbidden = defineError({
  code: "tenant.creation-forbidden",
  status: 403,
  title: "Not permitted",
  detail: () => "Creating a tenant needs the role Global Administrator.",
  members: () => ({ requiredRole: "Global Administrator" }),
});

export const tenantBeingErased = defineError({
  code: "tenant.being-erased",
  status: 409,
  title: "Tenant is being erased",
  detail: ({ tenantId }: { tenantId: string }) =>
    `The former tenant '${tenantId}' is still being erased; its id is free in a moment.`,
  headers: () => ({ "retry-after": "10" }),
});
