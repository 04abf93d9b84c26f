/** An answer that is not a success, in the words of the API (RFC 9457). */
export class ApiProblem extends Error {
  readonly status: number;
  readonly title: string;
  /** Stable, such as `pass.not-found`. */
  readonly code: string;
  /** By the path of the field, such as `identifiers.crm.id`. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly requestId: string;

  constructor(response: Response, body: unknown) {
    const told = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
    // Under HTTP/2 a status has no text.
    const title = String(told.title ?? (response.statusText || `HTTP ${response.status}`));
    super(String(told.detail ?? title));
    this.status = response.status;
    this.title = title;
    this.code = String(told.code ?? "");
    this.fields = (told.errors ?? {}) as Record<string, readonly string[]>;
    this.requestId = String(told.requestId ?? response.headers.get("x-request-id") ?? "");
  }
}

export const isProblem = (error: unknown, code: string): error is ApiProblem =>
  error instanceof ApiProblem && error.code === code;

/** No answer came: the connection or the server is away. */
export class Unreachable extends Error {}
