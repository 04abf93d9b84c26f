import type { ProblemError } from "#kernel/errors.ts";
import { tryAgainAfterLimit, withStatus } from "../kit/journey-statuses.ts";

/** These stop a webhook of a scenario for all customers; other statuses of 4xx fail one of them. */
const STOPS_ALL: ReadonlySet<number> = new Set([400, 410, 412, 413, 418]);
const FAILS_ONE = 422;

/** A problem of one customer must not end the webhook for all of them. 404 does: it is switched off. */
export function failOnlyOne(problem: ProblemError): ProblemError {
  return STOPS_ALL.has(problem.status)
    ? withStatus(problem, FAILS_ONE)
    : tryAgainAfterLimit(problem);
}
