import { isObject } from "#kernel/json.ts";
import type { JsonObject } from "#src/templates/language/public.ts";

/**
 * - `not-found`: the class or object does not exist;
 * - `class-not-found`: the class of the object does not exist;
 * - `exists`: an insert found another one with the same id;
 * - `denied`: the account may not do this, and no repetition helps;
 * - `quota`: too many requests, or too many notifications of one pass;
 * - `refused`: Google does not accept the content;
 * - `unavailable`: no answer, or a failure of Google: a repetition may succeed.
 */
export type GoogleFailureKind =
  | "not-found"
  | "class-not-found"
  | "exists"
  | "denied"
  | "quota"
  | "refused"
  | "unavailable";

export type GoogleFailure = {
  readonly kind: GoogleFailureKind;
  /** What Google said, or what happened instead of an answer. It may quote what was sent. */
  readonly message: string;
  /** The status of the answer and its name, such as `400 INVALID_ARGUMENT`: quotes nothing. */
  readonly code?: string;
  /** True for a quota of requests, which is over soon; that of notifications lasts for a day. */
  readonly isRateLimit?: boolean;
  /** True if no request was made, so Google has what it had. */
  readonly isUnsent?: boolean;
  /** True if Google took the change, and not the replacement that takes members away. */
  readonly isPartlyDone?: boolean;
  /** How long Google asks to wait. */
  readonly waitMs?: number;
};
export type GoogleSuccess = { readonly kind: "done"; readonly body: JsonObject };
export type GoogleOutcome = GoogleSuccess | GoogleFailure;

/** True if the failure has causes outside of what was sent. */
export function isPassing({ kind }: GoogleFailure): boolean {
  return kind === "denied" || kind === "quota" || kind === "unavailable";
}

export type GoogleReply = {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: unknown;
};

const MESSAGE_LENGTH_MAX = 500;
const WAIT_MS_MAX = 10 * 60_000;

const KIND_BY_STATUS: Readonly<Record<number, GoogleFailureKind>> = {
  401: "denied",
  403: "denied",
  404: "not-found",
  408: "unavailable",
  409: "exists",
  429: "quota",
};

export function outcomeOf(reply: GoogleReply): GoogleOutcome {
  const { status, body } = reply;
  if (status >= 200 && status < 300) return { kind: "done", body: isObject(body) ? body : {} };
  const kind = KIND_BY_STATUS[status] ?? (status >= 500 ? "unavailable" : "refused");
  const waitMs = waitOf(reply.retryAfter);
  const reasons = reasonsIn(body);
  return {
    kind: kindFor(kind, reasons),
    message: messageIn(body) ?? `Google answered with status ${status}.`,
    code: codeOf(reply),
    // Too many notifications have a reason of their own; other answers of 429 are of the rate.
    ...(reasons.some(isRateLimit) || (status === 429 && !reasons.some(isQuota))
      ? { isRateLimit: true }
      : {}),
    ...(waitMs === undefined ? {} : { waitMs }),
  };
}

/** Google says by a reason which of several things it means by a status. */
function kindFor(kind: GoogleFailureKind, reasons: readonly string[]): GoogleFailureKind {
  if (kind === "denied" && reasons.some(isQuota)) return "quota";
  return kind === "not-found" && reasons.includes("classNotFound") ? "class-not-found" : kind;
}

function codeOf({ status, body }: GoogleReply): string {
  const name = isObject(body) && isObject(body.error) ? body.error.status : undefined;
  return typeof name === "string" && /^[A-Z_]{1,40}$/.test(name)
    ? `${status} ${name}`
    : `${status}`;
}

/** Google also reports an exhausted quota as 403, with a reason of its own. */
const isQuota = (reason: string) => /(quota|rate_?limit)_?exceeded/i.test(reason);
/** Also `userRateLimitExceeded`. */
const isRateLimit = (reason: string) => /rate_?limit_?exceeded/i.test(reason);

/** Google gives reasons in one of two forms: `errors`, or in newer answers `details`. */
export function reasonsIn(body: unknown): string[] {
  const { errors, details } = isObject(body) && isObject(body.error) ? body.error : {};
  return [errors, details]
    .flatMap((list): unknown[] => (Array.isArray(list) ? list : []))
    .map((one) => String(isObject(one) ? one.reason : undefined));
}

/** Google's REST API has `error.message`, its token service `error_description`. */
function messageIn(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const { error, error_description: description } = body;
  const text = description ?? (isObject(error) ? error.message : error);
  return typeof text === "string" && text !== "" ? text.slice(0, MESSAGE_LENGTH_MAX) : undefined;
}

function waitOf(retryAfter: string | null): number | undefined {
  const seconds = Number(retryAfter);
  if (retryAfter === null || !Number.isFinite(seconds) || seconds <= 0) return undefined;
  return Math.min(seconds * 1_000, WAIT_MS_MAX);
}
