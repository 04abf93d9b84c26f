import { timeZoneOf } from "#src/scheduler/public.ts";

export const PERIOD_DAYS = [1, 7, 30, 90] as const;
export type PeriodDays = (typeof PERIOD_DAYS)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export type Period = {
  readonly step: "hour" | "day";
  /** The beginning of each step. The first and the last one may be parts of a day. */
  readonly steps: readonly Date[];
  /** The end of the present hour. */
  readonly end: Date;
  /** The beginning of the period before, which is as long. */
  readonly previousFrom: Date;
};

/**
 * So many times 24 hours until now, to the hour: lists that look back so many days show the same. A
 * single day by the hour, others by the day as it begins in a time zone.
 */
export function periodOf(now: Date, days: PeriodDays, timeZone: string): Period {
  const hour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  const [from, end] = [hour - days * DAY_MS, hour + HOUR_MS];
  const begins = days === 1 ? hoursAfter(from, end) : midnightsAfter(from, hour, timeZone);
  return {
    step: days === 1 ? "hour" : "day",
    steps: [from, ...begins].map((instant) => new Date(instant)),
    end: new Date(end),
    previousFrom: new Date(from - days * DAY_MS),
  };
}

function hoursAfter(from: number, end: number): number[] {
  const count = (end - from) / HOUR_MS - 1;
  return Array.from({ length: count }, (_, at) => from + (at + 1) * HOUR_MS);
}

/**
 * Until and with the beginning of the present hour. Where a zone is half an hour off, the day that
 * begins within this hour has no hour of its own yet.
 */
function midnightsAfter(from: number, hour: number, timeZone: string): number[] {
  const { offsetAt } = timeZoneOf(timeZone);
  const dayOf = (instant: number) => Math.floor((instant + offsetAt(instant)) / DAY_MS);
  const [first, last] = [dayOf(from), dayOf(hour)];
  return Array.from({ length: last - first + 1 }, (_, at) =>
    midnightOf((first + at) * DAY_MS, offsetAt),
  ).filter((midnight) => midnight > from && midnight <= hour);
}

/**
 * When a day begins, which is given as if it were UTC. Where clocks leave out midnight, it begins
 * with the change; where they repeat it, with the first one.
 */
function midnightOf(utc: number, offsetAt: (instant: number) => number): number {
  const [before, after] = [offsetAt(utc - DAY_MS), offsetAt(utc + DAY_MS)];
  if (offsetAt(utc - before) === before) return utc - before;
  return offsetAt(utc - after) === after ? utc - after : utc - before;
}
