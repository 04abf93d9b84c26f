import { type Actor, PLATFORM_SCOPE, reaches, scopeNameFor } from "../context.ts";
import type { ProblemError } from "../errors.ts";
import { problem } from "./problem.ts";

/** Whom to ask for more, in words that people and programs can use. A scope alone is no help without its role. */
export type MissingRight = { readonly requiredRole?: string; readonly requiredScope?: string };

export function missingRight(
  actor: Actor,
  scope: string,
  tenantId: string | undefined,
): MissingRight {
  if (reaches(actor, scope, tenantId)) return { requiredScope: scopeNameFor(actor, scope) };
  if (scope !== PLATFORM_SCOPE) return { requiredRole: "Tenant Administrator" };
  return { requiredRole: "Global Administrator", requiredScope: PLATFORM_SCOPE };
}

/** 403. `what` begins the sentence: "This operation". */
export function rightMissing(
  actor: Actor,
  scope: string,
  tenantId: string | undefined,
  what: string,
): ProblemError {
  const missing = missingRight(actor, scope, tenantId);
  return problem("forbidden", `${what} needs ${describeRight(missing)}.`, { members: missing });
}

export function describeRight(missing: MissingRight): string {
  const { requiredRole, requiredScope } = missing;
  const role = requiredRole === undefined ? [] : [`the role ${requiredRole}`];
  const scope = requiredScope === undefined ? [] : [`the scope ${requiredScope}`];
  return [...role, ...scope].join(" and ");
}
