/**
 * A failure the caller can understand and act on. Everything else that is thrown is our own fault
 * and becomes a 500 without a body.
 */
export class ProblemError extends Error {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  /** Field path to messages: present on validation problems only. */
  readonly errors: Readonly<Record<string, readonly string[]>> | undefined;
  /** Further members of the answer, such as the id of the record in the way. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

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
  readonly members?: (facts: Facts) => Record<string, unknown>;
  readonly headers?: (facts: Facts) => Record<string, string>;
};

/** The code, status and title of a kind of problem, known without an instance of it: for documentation. */
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
      members: definition.members?.(facts) ?? {},
      headers: definition.headers?.(facts) ?? {},
    });
  return Object.assign(make, { code, status, title });
}

/** 400 with one entry per field: the shape the specification calls HttpValidationProblemDetails. */
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

/** For the one named way to go on after a failure: says what was being tried and logs why it failed. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
