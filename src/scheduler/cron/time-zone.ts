/** The offsets of one time zone from UTC, in milliseconds, and when they change. */

const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;
/** No zone changes its offset and back again within so short a time. */
const SAMPLE_MS = 12 * HOUR_MS;

/** At `at` the clocks of the zone go from one offset to the other. */
export type OffsetChange = { readonly at: number; readonly before: number; readonly after: number };

export type TimeZone = {
  offsetAt(instant: number): number;
  /** The changes after `from`, until `to`. */
  changesBetween(from: number, to: number): OffsetChange[];
};

const zones = new Map<string, TimeZone>();
const ZONES_MAX = 1_000;
const KNOWN_MAX = 500;

/** The name must be one that `isTimeZone` knows. */
export function timeZoneOf(name: string): TimeZone {
  let zone = zones.get(name);
  if (zone === undefined) {
    zone = createTimeZone(name);
    // There are some hundred names; those in other letters are the same zones.
    if (zones.size < ZONES_MAX) zones.set(name, zone);
  }
  return zone;
}

/** As `Intl` writes it: `3/29/2026, GMT+05:45`. */
const OFFSET = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

function createTimeZone(name: string): TimeZone {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
  const readOffset = (instant: number): number => {
    const [, sign, hours = 0, minutes = 0, seconds = 0] = OFFSET.exec(format.format(instant)) ?? [];
    const size = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * SECOND_MS;
    return sign === "-" ? -size : size;
  };
  // `Intl` takes some ten microseconds for each, and the same few days are asked for again and again.
  const known = new Map<number, number>();
  const offsetAt = (instant: number): number => {
    if (instant % HOUR_MS !== 0) return readOffset(instant);
    let offset = known.get(instant);
    if (offset === undefined) {
      offset = readOffset(instant);
      if (known.size === KNOWN_MAX) known.clear();
      known.set(instant, offset);
    }
    return offset;
  };
  return {
    offsetAt,
    changesBetween(from, to) {
      const changes: OffsetChange[] = [];
      let [start, before] = [from, offsetAt(from)];
      while (start < to) {
        const end = Math.min(start + SAMPLE_MS, to);
        const after = offsetAt(end);
        if (after !== before) changes.push({ at: findChange(offsetAt, start, end), before, after });
        [start, before] = [end, after];
      }
      return changes;
    },
  };
}

/** The first whole second with the offset of `end`. */
function findChange(offsetAt: (instant: number) => number, start: number, end: number): number {
  const after = offsetAt(end);
  let [low, high] = [Math.floor(start / SECOND_MS), Math.ceil(end / SECOND_MS)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * SECOND_MS) === after) high = middle;
    else low = middle;
  }
  return high * SECOND_MS;
}
