const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * How long a device has to fetch the pass after each push. A push may be lost, or wait until the
 * device is switched on: it is then pushed again.
 */
const FETCH_MS: readonly number[] = [
  15 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  24 * HOUR_MS,
  24 * HOUR_MS,
];

/** After so many pushes that the device did not follow, the delivery has failed. */
export const PUSHES_MAX = FETCH_MS.length;

/** How long Apple keeps a push for a device that is switched off: a later push replaces it. */
export const PUSH_KEPT_SECONDS = 24 * 60 * 60;

/** When the device is pushed again, counted from the push with this number (from 1). */
export function fetchMs(pushes: number): number {
  return FETCH_MS[Math.min(pushes, PUSHES_MAX) - 1] ?? MINUTE_MS;
}

/** A device is pushed to at most once in this time: changes in between share one push at its end. */
export const MIN_PUSH_INTERVAL_MS = 1_000;

const LATER_MS: readonly number[] = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS];
/** Apple asks for a quarter of an hour, and longer after that. */
const BROKEN_MS: readonly number[] = [15 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS];

/** When a push is tried again that Apple put off so many times in a row, this time with this status. */
export function laterMs(failures: number, status: number): number {
  const waits = status >= 500 ? BROKEN_MS : LATER_MS;
  return waits[Math.min(failures, waits.length) - 1] ?? MINUTE_MS;
}

export type PauseReason = "refused" | "unreachable";

const REFUSED_MS = 15 * MINUTE_MS;
const UNREACHABLE_MS = 2_000;
const UNREACHABLE_MS_MAX = 5 * MINUTE_MS;

/** How long the pushes of a tenant rest, the so-manieth time in a row. */
export function pauseMs(reason: PauseReason, count: number): number {
  if (reason === "refused") return REFUSED_MS;
  return Math.min(UNREACHABLE_MS_MAX, UNREACHABLE_MS * 2 ** Math.min(count - 1, 20));
}
