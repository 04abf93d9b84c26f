import type { Cron } from "./cron.ts";
import type { OffsetChange, TimeZone } from "./time-zone.ts";

/**
 * When a schedule is due. A schedule names times on the wall clock of its zone. Where clocks change:
 *
 * - A time that is skipped is due once, right after the gap; several of them together are due once.
 * - A time that comes twice is due the first time only.
 * - A schedule of every hour (`30 * * * *`, `* * * * *`) goes on in even steps. A skipped time is not
 *   made up for if the time that it would have been by the old clock is due anyway, and the second of
 *   two equal times counts if it would have been due by the old clock.
 *
 * Local times are numbers here as well: milliseconds as if the zone were UTC.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The largest offsets from UTC of any zone, on either side, with an hour to spare. */
const AHEAD_MS_MAX = 15 * HOUR_MS;
const BEHIND_MS_MAX = 13 * HOUR_MS;
/** From one 29 February to the next can be eight years. */
const DAYS_MAX = 3_000;

/** The first time after `after`; undefined if the schedule is never due again. */
export function nextTick(cron: Cron, zone: TimeZone, after: Date): Date | undefined {
  const from = after.getTime();
  const today = startOfDay(from + zone.offsetAt(from));
  // The day before, because a time of yesterday can be due today: clocks may skip midnight.
  for (let count = -1; count < DAYS_MAX; count += 1) {
    const day = today + count * DAY_MS;
    const found = firstOfDay(cron, zone, day, from);
    if (found === undefined) continue;
    // Around midnight clocks can go back to the day before, and two days overlap.
    const alsoFound = firstOfDay(cron, zone, day + DAY_MS, from) ?? Number.POSITIVE_INFINITY;
    return new Date(Math.min(found, alsoFound));
  }
  return undefined;
}

/** The last time after `after`, until `until`; undefined if there is none. */
export function lastTick(cron: Cron, zone: TimeZone, after: Date, until: Date): Date | undefined {
  const [from, to] = [after.getTime(), until.getTime()];
  for (let back = HOUR_MS; ; back *= 4) {
    const start = Math.max(from, to - back);
    let last: Date | undefined;
    for (
      let tick = nextTick(cron, zone, new Date(start));
      tick !== undefined && tick <= until;
      tick = nextTick(cron, zone, tick)
    ) {
      last = tick;
    }
    if (last !== undefined || start === from) return last;
  }
}

function startOfDay(local: number): number {
  return Math.floor(local / DAY_MS) * DAY_MS;
}

function isOnDay(cron: Cron, day: number): boolean {
  const date = new Date(day);
  return cron.isOnDay(date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCDay());
}

/** Whether the schedule names this local time. */
function names(cron: Cron, local: number): boolean {
  const date = new Date(local);
  return (
    cron.minutes.includes(date.getUTCMinutes()) &&
    cron.hours.includes(date.getUTCHours()) &&
    isOnDay(cron, startOfDay(local))
  );
}

/** The first time after `after` that is due because of the local times of one day. */
function firstOfDay(cron: Cron, zone: TimeZone, day: number, after: number): number | undefined {
  if (!isOnDay(cron, day)) return undefined;
  const [from, to] = [day - AHEAD_MS_MAX, day + DAY_MS + BEHIND_MS_MAX];
  const changes = zone.changesBetween(from, to);
  if (changes.length === 0) return firstPlain(cron, day - zone.offsetAt(from), after);
  const stretches = stretchesOf(changes);
  const offsets = stretches.map(({ offset }) => offset);
  const [least, most] = [Math.min(...offsets), Math.max(...offsets)];
  let first = Number.POSITIVE_INFINITY;
  for (const hour of cron.hours) {
    const start = day + hour * HOUR_MS;
    // No time of this hour is due later than that, and none of it or the next ones sooner than this.
    if (start + HOUR_MS - least <= after) continue;
    if (start - most > first) break;
    for (const minute of cron.minutes) {
      for (const due of instantsOf(cron, stretches, changes, start + minute * MINUTE_MS)) {
        if (due > after && due < first) first = due;
      }
    }
  }
  return first === Number.POSITIVE_INFINITY ? undefined : first;
}

/** For a day on which no clock changes: `midnight` is its beginning. */
function firstPlain({ hours, minutes }: Cron, midnight: number, after: number): number | undefined {
  for (const hour of hours) {
    const start = midnight + hour * HOUR_MS;
    if (start + HOUR_MS <= after) continue;
    const minute = minutes.find((each) => start + each * MINUTE_MS > after);
    if (minute !== undefined) return start + minute * MINUTE_MS;
  }
  return undefined;
}

type Stretch = { readonly from: number; readonly to: number; readonly offset: number };

/** The stretches of time between the changes. */
function stretchesOf(changes: readonly OffsetChange[]): Stretch[] {
  const [first] = changes;
  const before: Stretch[] =
    first === undefined
      ? []
      : [{ from: Number.NEGATIVE_INFINITY, to: first.at, offset: first.before }];
  const between = changes.map(({ at, after }, index) => ({
    from: at,
    to: changes[index + 1]?.at ?? Number.POSITIVE_INFINITY,
    offset: after,
  }));
  return [...before, ...between];
}

/** When a local time that the schedule names is due. */
function instantsOf(
  cron: Cron,
  stretches: readonly Stretch[],
  changes: readonly OffsetChange[],
  local: number,
): number[] {
  const [first, ...again] = stretches.filter(
    ({ from, to, offset }) => local - offset >= from && local - offset < to,
  );
  if (first === undefined) return skipped(cron, changes, local);
  const repeated = again
    .map(({ offset }) => local - offset)
    .filter((instant) => cron.isHourly && names(cron, instant + first.offset));
  return [local - first.offset, ...repeated];
}

function skipped(cron: Cron, changes: readonly OffsetChange[], local: number): number[] {
  const gap = changes.find(({ at, before, after }) => local >= at + before && local < at + after);
  if (gap === undefined) return [];
  const isDueAnyway = cron.isHourly && names(cron, local + gap.after - gap.before);
  return isDueAnyway ? [] : [gap.at];
}
