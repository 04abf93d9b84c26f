import type { ProblemError } from "#kernel/errors.ts";
import type { GoogleFailure } from "./api/api.outcome.ts";
import { googleDenied, googleRefused, googleUnavailable } from "./google.errors.ts";

/** What a caller is told when Google did not do what was asked. */
export function problemOf({ kind, message }: GoogleFailure): ProblemError {
  if (kind === "denied") return googleDenied({ message });
  if (kind === "unavailable" || kind === "quota") return googleUnavailable().because(message);
  return googleRefused({ message });
}
