import { defineError, ProblemError } from "./errors.ts";

export const tenantNotFound = defineError({
  code: "tenant.not-found",
  status: 404,
  title: "Tenant not found",
  detail: ({ tenantId }: { tenantId: string }) => `There is no tenant '${tenantId}'.`,
});

export function isTenantNotFound(error: unknown): boolean {
  return error instanceof ProblemError && error.code === tenantNotFound.code;
}
