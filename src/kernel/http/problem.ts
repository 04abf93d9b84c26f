import { ProblemError, type ProblemKind } from "../errors.ts";

/** Problems that any route can give. */
const KINDS = {
  invalid: {
    code: "request.invalid",
    status: 400,
    title: "One or more validation errors occurred",
  },
  malformed: { code: "request.malformed", status: 400, title: "The request cannot be read" },
  unauthenticated: { code: "access.unauthenticated", status: 401, title: "Not authenticated" },
  forbidden: { code: "access.scope-missing", status: 403, title: "Not permitted" },
  routeNotFound: { code: "route.not-found", status: 404, title: "No such address" },
  methodNotAllowed: { code: "route.method-not-allowed", status: 405, title: "Method not allowed" },
  timeout: { code: "request.timeout", status: 408, title: "The request took too long" },
  conflictRunning: {
    code: "idempotency.still-running",
    status: 409,
    title: "The first request with this key is still running",
  },
  answerErased: {
    code: "idempotency.answer-erased",
    status: 409,
    title: "What the first request with this key made is erased",
  },
  preconditionFailed: {
    code: "request.precondition-failed",
    status: 412,
    title: "Changed meanwhile",
  },
  tooLarge: { code: "request.too-large", status: 413, title: "The body is too large" },
  uriTooLong: { code: "request.uri-too-long", status: 414, title: "The address is too long" },
  unsupportedType: {
    code: "request.unsupported-type",
    status: 415,
    title: "Unsupported media type",
  },
  keyReused: {
    code: "idempotency.key-reused",
    status: 422,
    title: "The key was used for another request",
  },
  rateLimited: { code: "rate-limit.exceeded", status: 429, title: "Too many requests" },
  headersTooLarge: {
    code: "request.headers-too-large",
    status: 431,
    title: "The headers are too large",
  },
  unavailable: {
    code: "service.unavailable",
    status: 503,
    title: "Service temporarily unavailable",
  },
} as const satisfies Record<string, ProblemKind>;

export const problemKinds: Readonly<Record<keyof typeof KINDS, ProblemKind>> = KINDS;

type Extra = {
  readonly headers?: Record<string, string>;
  readonly members?: Record<string, unknown>;
};

export function problem(kind: keyof typeof KINDS, detail: string, extra: Extra = {}): ProblemError {
  return new ProblemError({ ...KINDS[kind], detail, ...extra });
}

/**
 * The members of RFC 9457, plus the stable code that programs use and the id that support asks for.
 */
export function presentProblem(error: ProblemError, requestId: string): Record<string, unknown> {
  return {
    type: `urn:problem:${error.code}`,
    title: error.title,
    status: error.status,
    detail: error.message,
    instance: `urn:request:${requestId}`,
    code: error.code,
    requestId,
    ...(error.errors === undefined ? {} : { errors: error.errors }),
    ...error.members,
  };
}
