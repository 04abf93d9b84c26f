import { type Actor, PLATFORM_SCOPE, reaches, scopeNameFor } from "../actor.ts";
import type { ProblemError } from "../errors.ts";
import { problem } from "./problem.ts";

/**
 * The missing right, for people and programs. If the actor lacks the role for this tenant, the role
 * is named: the scope alone would not help.
 */
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

/** Makes the problem 403. `what` begins the sentence, such as "This operation". */
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
