import { isObject } from "#kernel/json.ts";
import type { JsonObject } from "#src/templates/language/public.ts";

/**
 * - `not-found`: the class or object does not exist;
 * - `exists`: an insert found another one with the same id;
 * - `denied`: the account may not do this, and no repetition helps;
 * - `quota`: too many requests, or too many notifications of one pass;
 * - `refused`: Google does not accept the content;
 * - `unavailable`: no answer, or a failure of Google: a repetition may succeed.
 */
export type GoogleFailureKind =
  | "not-found"
  | "exists"
  | "denied"
  | "quota"
  | "refused"
  | "unavailable";

export type GoogleFailure = {
  readonly kind: GoogleFailureKind;
  /** What Google said, or what happened instead of an answer. */
  readonly message: string;
  /** True for a quota of requests, which is over soon; that of notifications lasts for a day. */
  readonly isRateLimit?: boolean;
  /** How long Google asks to wait. */
  readonly waitMs?: number;
};
export type GoogleSuccess = { readonly kind: "done"; readonly body: JsonObject };
export type GoogleOutcome = GoogleSuccess | GoogleFailure;

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
    kind: kind === "denied" && reasons.some(isQuota) ? "quota" : kind,
    message: messageIn(body) ?? `Google answered with status ${status}.`,
    ...(reasons.some(isRateLimit) ? { isRateLimit: true } : {}),
    ...(waitMs === undefined ? {} : { waitMs }),
  };
}

/** Google also reports an exhausted quota as 403, with a reason of its own. */
const isQuota = (reason: string) => /quotaExceeded|rateLimitExceeded/i.test(reason);
/** Also `userRateLimitExceeded`. */
const isRateLimit = (reason: string) => /rateLimitExceeded/i.test(reason);

function reasonsIn(body: unknown): string[] {
  const errors = isObject(body) && isObject(body.error) ? body.error.errors : undefined;
  return Array.isArray(errors) ? errors.map((one) => String(one?.reason)) : [];
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
