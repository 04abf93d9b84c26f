import { ProblemError } from "#kernel/errors.ts";

/** What is wrong with such a call stays wrong, however often it is sent. */
const LASTING: ReadonlySet<number> = new Set([400, 412, 413, 415, 422]);

/**
 * Customer.io holds back later calls until one got through: one that can never succeed is taken, and
 * says in its answer that nothing was done.
 */
export function takeAnyway(problem: ProblemError): ProblemError {
  if (!LASTING.has(problem.status)) return problem;
  const { code, title, message: detail, headers } = problem;
  const members = { success: false, errors: [{ code, description: detail }] };
  return new ProblemError({ code, status: 200, title, detail, members, headers });
}
