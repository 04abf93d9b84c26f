/** When something that failed is tried again. Rules only. */

const FIRST_SECONDS = 5;
/** A vendor that was away for an hour is back for five minutes at most before it is told. */
const LONGEST_SECONDS = 300;
const ASKED_SECONDS_MAX = 3_600;
/** So that the feeds of many tenants do not come back to one vendor in the same moment. */
const JITTER = 0.2;

/** A refusal seldom ends by itself, and all later events wait for it. */
const REFUSED_SECONDS = [2, 10] as const;
export const REFUSALS_MAX = REFUSED_SECONDS.length + 1;

export type Failure = {
  /** How many tries have failed, this one included. */
  readonly attempts: number;
  readonly now: Date;
  /** The header of the vendor's answer: seconds, or a time. */
  readonly retryAfter?: string | undefined;
  /** From 0 to 1. */
  readonly random: number;
};

export function retryAt({ attempts, now, retryAfter, random }: Failure): Date {
  const own = Math.min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** Math.min(attempts - 1, 10));
  const asked = Math.min(ASKED_SECONDS_MAX, readRetryAfter(retryAfter, now) ?? 0);
  return later(now, Math.max(own * (1 + JITTER * random), asked));
}

export function retryRefusedAt(refusals: number, now: Date): Date {
  return later(now, REFUSED_SECONDS[refusals - 1] ?? 0);
}

export function later(now: Date, seconds: number): Date {
  return new Date(now.getTime() + Math.ceil(seconds * 1_000));
}

function readRetryAfter(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : (at - now.getTime()) / 1_000;
}
