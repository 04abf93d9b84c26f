import { ProblemError } from "#kernel/errors.ts";

/** The same problem under another status, for vendors to whom statuses are commands. */
export function withStatus(problem: ProblemError, status: number): ProblemError {
  if (status === problem.status) return problem;
  const { code, title, message: detail, members, headers, errors } = problem;
  const told = { code, status, title, detail, members, headers };
  const made = new ProblemError(errors === undefined ? told : { ...told, errors });
  return problem.reason === undefined ? made : made.because(problem.reason);
}

/** 503 in place of these statuses, after which a vendor would not try again. */
export function tryAgain(problem: ProblemError, statuses: ReadonlySet<number>): ProblemError {
  return statuses.has(problem.status) ? withStatus(problem, 503) : problem;
}

const LIMITED: ReadonlySet<number> = new Set([429]);

/** For vendors that do not try again after a 429. */
export const tryAgainAfterLimit = (problem: ProblemError): ProblemError =>
  tryAgain(problem, LIMITED);
