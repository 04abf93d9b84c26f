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

/** A refusal of Google's API. */
export class GoogleError extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.name = "GoogleError";
    this.status = status;
    this.reason = reason;
  }

  /** The body of the answer, in the shape that all of Google's APIs share. */
  present(): object {
    const { status: code, reason, message } = this;
    const errors = [{ message, domain: "walletobjects", reason }];
    return { error: { code, message, status: STATUS_WORDS[code] ?? "UNKNOWN", errors } };
  }
}

export const invalid = (message: string): GoogleError => new GoogleError(400, "invalid", message);
