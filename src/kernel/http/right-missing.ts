import { type Actor, PLATFORM_SCOPE, reaches, scopeNameFor } from "../context.ts";
import type { ProblemError } from "../errors.ts";
import { problem } from "./problem.ts";

/** Whom to ask for more, in words that people and programs can use: the role comes first, for no scope helps without it. */
export type MissingRight = { readonly requiredRole: string } | { readonly requiredScope: string };

export function missingRight(
  actor: Actor,
  scope: string,
  tenantId: string | undefined,
): MissingRight {
  if (reaches(actor, scope, tenantId)) return { requiredScope: scopeNameFor(actor, scope) };
  const requiredRole = scope === PLATFORM_SCOPE ? "Global Administrator" : "Tenant Administrator";
  return { requiredRole };
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
  return "requiredRole" in missing
    ? `the role ${missing.requiredRole}`
    : `the scope ${missing.requiredScope}`;
}
