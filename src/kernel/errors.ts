/**
 * An error that the caller can understand and act on. Any other error is a fault of this service
 * and becomes a 500 without a body.
 */
export class ProblemError extends Error {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  /** Messages by field path; set on validation problems only. */
  readonly errors: Readonly<Record<string, readonly string[]>> | undefined;
  /** Further members of the answer, such as the id of the conflicting record. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The reason, for the operator's log only: callers never see it. */
  reason: string | undefined;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = "ProblemError";
    this.code = problem.code;
    this.status = problem.status;
    this.title = problem.title;
    this.errors = problem.errors;
    this.members = problem.members ?? {};
    this.headers = problem.headers ?? {};
  }

  /**
   * Sets the reason for the log. Callers do not get it, because it could help them to guess
   * credentials.
   */
  because(reason: string): this {
    this.reason = reason;
    return this;
  }
}

export type Problem = {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
};

type ProblemDefinition<Facts> = {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: (facts: Facts) => string;
  /** By field, where a value that was sent is wrong. */
  readonly errors?: (facts: Facts) => Record<string, readonly string[]>;
  readonly members?: (facts: Facts) => Record<string, unknown>;
  readonly headers?: (facts: Facts) => Record<string, string>;
};

/** The code, status and title of a kind of problem, for documentation. */
export type ProblemKind = {
  readonly code: string;
  readonly status: number;
  readonly title: string;
};

export type ProblemFactory<Facts> = ((facts: Facts) => ProblemError) & ProblemKind;

/** Codes are a published contract: `noun.problem-in-kebab-case`, never renamed. */
export function defineError<Facts = void>(
  definition: ProblemDefinition<Facts>,
): ProblemFactory<Facts> {
  const { code, status, title } = definition;
  const make = (facts: Facts) =>
    new ProblemError({
      code,
      status,
      title,
      detail: definition.detail(facts),
      ...(definition.errors === undefined ? {} : { errors: definition.errors(facts) }),
      members: definition.members?.(facts) ?? {},
      headers: definition.headers?.(facts) ?? {},
    });
  return Object.assign(make, { code, status, title });
}

/**
 * 400 with one entry per field, the shape that the specification calls
 * HttpValidationProblemDetails.
 */
export function validationProblem(errors: Record<string, readonly string[]>): ProblemError {
  return new ProblemError({
    code: "request.invalid",
    status: 400,
    title: "One or more validation errors occurred",
    detail: Object.entries(errors)
      .slice(0, 3)
      .map(([field, messages]) => `${field}: ${messages[0] ?? "invalid"}`)
      .join("; "),
    errors,
  });
}

/** The message of a thrown value, for a log line or a finding: JavaScript can throw any value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
