export const LIST_HOURS_DEFAULT = 12;
export const LIST_HOURS_MAX = 72;

/** A list is renewed so many times within the life of one of them. */
const RENEWALS = 4;

export type Lifetime = {
  /** As of when the list speaks. */
  readonly issuedAt: Date;
  /** From when on a newer list is given. */
  readonly renewedAt: Date;
  readonly expiresAt: Date;
};

/**
 * Lists begin at fixed times, so that a scanner that asks again in between gets the same salt, and
 * 304 for whatever did not change. So a list is valid for at least three quarters of its life after
 * it was fetched.
 */
export function lifetimeAt(now: Date, hours: number): Lifetime {
  const lifeMs = hours * 3_600_000;
  const stepMs = lifeMs / RENEWALS;
  const issuedAtMs = Math.floor(now.getTime() / stepMs) * stepMs;
  return {
    issuedAt: new Date(issuedAtMs),
    renewedAt: new Date(issuedAtMs + stepMs),
    expiresAt: new Date(issuedAtMs + lifeMs),
  };
}
