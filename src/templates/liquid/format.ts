import { parseTimestamp } from "#kernel/http/lists/list-values.ts";
import { RecentMap } from "#kernel/recent-map.ts";

/**
 * Formats numbers, money and dates for a language. Recent formatters are kept, because making a
 * formatter takes tens of microseconds and using it takes a tenth of that.
 */

const FORMATTERS_KEPT_MAX = 1_000;
const numberFormats = new RecentMap<Intl.NumberFormat>(FORMATTERS_KEPT_MAX);
const dateFormats = new RecentMap<Intl.DateTimeFormat>(FORMATTERS_KEPT_MAX);

export type DateStyle = "none" | "short" | "medium" | "long" | "full";

export function formatNumber(
  value: string,
  locale: string,
  options: Intl.NumberFormatOptions = {},
): string | undefined {
  if (!isDecimal(value)) return undefined;
  const format = cached(
    numberFormats,
    locale,
    options,
    () => new Intl.NumberFormat(locale, options),
  );
  // The value is passed as text, because a binary float would lose digits of an exact decimal.
  return format?.format(value as Intl.StringNumericLiteral);
}

export function formatMoney(value: string, currency: string, locale: string): string | undefined {
  return formatNumber(value, locale, { style: "currency", currency });
}

export function isDecimal(value: string): boolean {
  return /^[+-]?\d{1,30}(\.\d{1,30})?$/.test(value);
}

export function formatDate(
  date: Date,
  locale: string,
  timeZone: string,
  style: { date: DateStyle; time: DateStyle },
): string | undefined {
  const options: Intl.DateTimeFormatOptions = { timeZone };
  if (style.date !== "none") options.dateStyle = style.date;
  if (style.time !== "none") options.timeStyle = style.time;
  return dateFormat(locale, options)?.format(date);
}

/** A date alone, or a date and time without an offset. */
const WALL_TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?$/;

/**
 * Parses an ISO 8601 date; undefined if it is not in the calendar, such as 30 February. A date
 * without an offset is in the time zone of the tenant. A date alone is midnight in that zone: in
 * UTC it could become the day before.
 */
export function parseDate(text: string, timeZone: string): Date | undefined {
  const [, day, time = "00:00"] = WALL_TIME.exec(text) ?? [];
  const moment = parseTimestamp(day === undefined ? text : `${day}T${time}Z`);
  if (moment === undefined) return undefined;
  return day === undefined ? new Date(moment) : fromWall(new Date(moment), timeZone);
}

const DAY_MS = 86_400_000;

/**
 * The moment at which a clock in that time zone shows what `wall` shows in UTC. As in calendars (RFC 5545), an
 * hour that comes twice is the first one, and a time that clocks leave out is as late as it would be without
 * the change: a date alone never becomes the day before.
 */
function fromWall(wall: Date, timeZone: string): Date | undefined {
  const time = wall.getTime();
  const before = offsetMs(new Date(time - DAY_MS), timeZone);
  const after = offsetMs(new Date(time + DAY_MS), timeZone);
  if (before === undefined || after === undefined) return undefined;
  const early = new Date(time - before);
  const late = new Date(time - after);
  const isAfterChange = offsetMs(early, timeZone) !== before && offsetMs(late, timeZone) === after;
  return isAfterChange ? late : early;
}

const MINUTE_MS = 60_000;
const OFFSETS_KEPT_MAX = 10_000;
const offsets = new RecentMap<number>(OFFSETS_KEPT_MAX);
/**
 * Since 1990, clocks have changed only on the full minute, and not on the quarter hour everywhere: at 00:01 in
 * Newfoundland until 2011, and in Casey in 2020. Earlier offsets are not read from memory.
 */
const MINUTES_SINCE = Date.UTC(1990, 0, 1);

const KNOWN_AT = new Date(Date.UTC(2026, 0, 1));

/**
 * How far a time zone is ahead of UTC. Offsets are kept, because computing one takes microseconds.
 */
function offsetMs(at: Date, timeZone: string): number | undefined {
  const time = at.getTime();
  const key = `${timeZone} ${Math.floor(time / MINUTE_MS)}`;
  const known = time < MINUTES_SINCE ? undefined : offsets.get(key);
  if (known !== undefined) return known;
  const parts = partsOf(at, timeZone);
  if (parts === undefined) return undefined;
  const shown = Date.UTC(
    Number(parts.year),
    Number(parts.month) - 1,
    Number(parts.day),
    Number(parts.hour),
    Number(parts.minute),
    Number(parts.second),
  );
  const offset = shown - Math.floor(time / 1_000) * 1_000;
  offsets.set(key, offset);
  return offset;
}

/** Known zones are looked up in memory, and only unknown ones cost an attempt each time. */
export function isKnownZone(name: string): boolean {
  return name !== "" && offsetMs(KNOWN_AT, name) !== undefined;
}

function partsOf(date: Date, timeZone: string): Readonly<Record<string, string>> | undefined {
  const format = dateFormat("en-US", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
  if (format === undefined) return undefined;
  return Object.fromEntries(format.formatToParts(date).map(({ type, value }) => [type, value]));
}

/** The time that a clock in that time zone shows, without an offset: `2026-05-01T18:30:00`. */
export function wallTime(date: Date, timeZone: string): string | undefined {
  const offset = offsetMs(date, timeZone);
  if (offset === undefined) return undefined;
  return new Date(date.getTime() + offset).toISOString().slice(0, "2026-05-01T18:30:00".length);
}

const CODE = /%(-?)([A-Za-z%])/g;

/**
 * Formats by those `strftime` codes that passes need. Names of days and months are in the language.
 */
export function formatByCodes(
  date: Date,
  locale: string,
  timeZone: string,
  codes: string,
): string | undefined {
  const wall = wallTime(date, timeZone);
  if (wall === undefined) return undefined;
  const named = (options: Intl.DateTimeFormatOptions) =>
    dateFormat(locale, { ...options, timeZone })?.format(date) ?? "";
  return codes.replaceAll(CODE, (whole, minus: string, code: string) => {
    const text = byCode(code, wall, named);
    if (text === undefined) return whole;
    return minus === "" ? text : text.replace(/^0(?=\d)/, "");
  });
}

function byCode(
  code: string,
  wall: string,
  named: (options: Intl.DateTimeFormatOptions) => string,
): string | undefined {
  const [year = "", month = "", day = "", hour = "", minute = "", second = ""] =
    wall.split(/[-T:]/);
  switch (code) {
    case "Y":
      return year;
    case "y":
      return year.slice(-2);
    case "m":
      return month;
    case "d":
      return day;
    case "e":
      return String(Number(day));
    case "H":
      return hour;
    case "I":
      return String(Number(hour) % 12 || 12).padStart(2, "0");
    case "M":
      return minute;
    case "S":
      return second;
    case "p":
      return Number(hour) < 12 ? "AM" : "PM";
    case "A":
      return named({ weekday: "long" });
    case "a":
      return named({ weekday: "short" });
    case "B":
      return named({ month: "long" });
    case "b":
      return named({ month: "short" });
    case "%":
      return "%";
    default:
      return undefined;
  }
}

/**
 * The moment with the offset of the time zone. A wallet that ignores its own time zone shows the
 * time of that zone.
 */
export function zonedTime(date: Date, timeZone: string): string | undefined {
  const offset = offsetMs(date, timeZone);
  const wall = wallTime(date, timeZone);
  if (offset === undefined || wall === undefined) return undefined;
  const minutes = Math.round(Math.abs(offset) / 60_000);
  const two = (value: number) => String(value).padStart(2, "0");
  const sign = offset < 0 ? "-" : "+";
  return `${wall}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function dateFormat(
  locale: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat | undefined {
  return cached(dateFormats, locale, options, () => new Intl.DateTimeFormat(locale, options));
}

function cached<Format>(
  formats: RecentMap<Format>,
  locale: string,
  options: object,
  make: () => Format,
): Format | undefined {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  try {
    const made = make();
    formats.set(key, made);
    return made;
  } catch {
    // The currency, time zone or language does not exist.
    return undefined;
  }
}
