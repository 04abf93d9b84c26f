import { databaseUnavailable } from "#kernel/db/database.ts";
import { isOverload, isTooSlow, isTransient } from "#kernel/db/failures.ts";
import { ProblemError } from "#kernel/errors.ts";

/**
 * Failures that are not the fault of a run. `unavailable`: the database cannot be reached. `too-slow`:
 * a statement ran out of its time. `busy`: a deadlock, a lock that was not given, or no capacity.
 */
export type DatabaseFailure = "unavailable" | "too-slow" | "busy";

/** Undefined if the failure has nothing to do with the state of the database. */
export function databaseFailureOf(error: unknown): DatabaseFailure | undefined {
  if (isTransient(error)) return "busy";
  if (!isDatabaseProblem(error)) return undefined;
  if (isTooSlow(error)) return "too-slow";
  return isTransient(error.cause) || isOverload(error.cause) ? "busy" : "unavailable";
}

/** True of the problem that callers get for all such failures. */
export function isDatabaseProblem(error: unknown): error is ProblemError {
  return error instanceof ProblemError && error.code === databaseUnavailable.code;
}
