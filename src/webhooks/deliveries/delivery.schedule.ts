const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The waits after the first failed attempt, the second, and so on: about three days in all. */
const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

export const ATTEMPTS_MAX = WAITS_MS.length + 1;

/** A subscription is disabled if no delivery has succeeded for so many days. */
export const FAILING_DAYS_MAX = 5;

const ASKED_MAX_MS = 24 * HOUR_MS;
const OVERLOADED_MIN_MS = MINUTE_MS;
const TOO_MANY_REQUESTS = 429;
const JITTER_SHARE = 0.1;
const JITTER_MAX_MS = 15 * MINUTE_MS;
/** Small, because an endpoint that names a time expects the retry at that time. */
const ASKED_JITTER_MAX_MS = 250;

export type FailedAttempt = {
  /** The number of the failed attempt, counted from 1. */
  readonly attempt: number;
  /** The time of the failure, with which a date in `Retry-After` is compared. */
  readonly now: Date;
  /** From 0 to 1. */
  readonly random: number;
  /** The `Retry-After` header of the answer, unchanged. */
  readonly retryAfter: string | undefined;
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  readonly timedOut: boolean;
};

/** Returns the milliseconds until the next attempt, or undefined to give up. */
export function planRetry(failed: FailedAttempt): number | undefined {
  const { attempt, now, random, retryAfter } = failed;
  if (!Number.isSafeInteger(attempt) || attempt < 1) {
    throw new RangeError(`There is no attempt ${attempt}: the first one is 1.`);
  }
  const stepMs = WAITS_MS[attempt - 1];
  if (stepMs === undefined) return undefined;
  const askedMs = Math.min(readRetryAfter(retryAfter, now) ?? Number.NaN, ASKED_MAX_MS);
  // The random part is only ever added: an endpoint that asked for time gets all of it, and
  // deliveries that failed together are not retried together.
  if (askedMs >= stepMs) return askedMs + Math.ceil(ASKED_JITTER_MAX_MS * random);
  const waitMs = Math.max(stepMs, leastWaitMs(failed, askedMs));
  return waitMs + Math.ceil(Math.min(waitMs * JITTER_SHARE, JITTER_MAX_MS) * random);
}

/** The minimum wait for an overloaded endpoint that does not say when to retry. */
function leastWaitMs({ status, timedOut }: FailedAttempt, askedMs: number): number {
  const isOverloaded = status === TOO_MANY_REQUESTS || timedOut;
  return isOverloaded && Number.isNaN(askedMs) ? OVERLOADED_MIN_MS : 0;
}

/** Reads a number of seconds, or the one date format that may still be sent (RFC 9110, 5.6.7). */
function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * SECOND_MS;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) {
    return undefined;
  }
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : moment - now.getTime();
}
