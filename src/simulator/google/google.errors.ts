const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ALREADY_EXISTS",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

/** What is wrong with one member of a request. */
export type FieldViolation = { readonly field: string; readonly description: string };

/** A refusal of Google's API. */
export class GoogleError extends Error {
  readonly status: number;
  readonly reason: string;
  readonly violations: readonly FieldViolation[];

  constructor(
    status: number,
    reason: string,
    message: string,
    violations: readonly FieldViolation[] = [],
  ) {
    super(message);
    this.name = "GoogleError";
    this.status = status;
    this.reason = reason;
    this.violations = violations;
  }

  /** The body of the answer, in the shape that all of Google's APIs share. */
  present(): object {
    const { status: code, reason, message, violations: fieldViolations } = this;
    const errors = [{ message, domain: "walletobjects", reason }];
    const status = STATUS_WORDS[code] ?? "UNKNOWN";
    if (fieldViolations.length === 0) return { error: { code, message, status, errors } };
    const details = [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations }];
    return { error: { code, message, status, errors, details } };
  }
}

export const invalid = (message: string): GoogleError => new GoogleError(400, "invalid", message);
