import { CronExpressionParser } from "cron-parser";
import { RecentMap } from "#kernel/recent-map.ts";

/**
 * Schedules of five fields, as in a crontab. `cron-parser` reads their items; the times at which a
 * schedule is due are calculated in `ticks.ts`. The parser's extensions (`L`, `#`, `H`, `@daily`) are refused, because other
 * programs that read crontabs do not know them.
 */

/** One item of a list: `*`, a value or a range, with or without a step. */
const itemOf = (value: string) =>
  new RegExp(`^(?:\\*|(?:${value})(?:-(?:${value}))?)(?:/\\d{1,2})?$`, "i");
const NUMBERS = itemOf("\\d{1,2}");
const MONTHS = itemOf("\\d{1,2}|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec");
const WEEKDAYS = itemOf("\\d{1,2}|sun|mon|tue|wed|thu|fri|sat");

const FIELDS = [
  { key: "minute", name: "minute", min: 0, max: 59, item: NUMBERS },
  { key: "hour", name: "hour", min: 0, max: 23, item: NUMBERS },
  { key: "dayOfMonth", name: "day of the month", min: 1, max: 31, item: NUMBERS },
  { key: "month", name: "month", min: 1, max: 12, item: MONTHS },
  /** Sunday is both 0 and 7. */
  { key: "dayOfWeek", name: "day of the week", min: 0, max: 7, item: WEEKDAYS },
] as const;
type Field = (typeof FIELDS)[number];

const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A schedule taken apart: the values of each field, in their order. */
export type Cron = {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /**
   * True if the schedule names every hour, such as `30 * * * *`: it goes on in even steps when
   * clocks change (see `ticks.ts`).
   */
  readonly isHourly: boolean;
  isOnDay(month: number, dayOfMonth: number, dayOfWeek: number): boolean;
};

const HOURS_PER_DAY = 24;

/** Tenants use few different schedules, and a task that is due is read more than once. */
const KEPT_MAX = 1_000;
const kept = new RecentMap<Cron>(KEPT_MAX);

/** Reads a schedule in which `cronProblem` finds nothing. */
export function parseCron(text: string): Cron {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const cron = readCron(text);
  kept.set(text, cron);
  return cron;
}

function readCron(text: string): Cron {
  const parts = text.trim().split(/\s+/);
  const fields = FIELDS.map((field, at) => valuesOf(parts[at] ?? "", field));
  const problem = cronProblem(text);
  if (problem !== undefined) throw new Error(`The schedule '${text}' ${problem}.`);
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = fields.map((values) =>
    [...new Set(values)].sort((left, right) => left - right),
  );
  const [onDays, inMonths, onWeekdays] = [days, months, weekdays.map((day) => day % 7)].map(
    (values) => new Set(values),
  );
  const [anyDay, anyWeekday] = [isAny(parts[2]), isAny(parts[4])];
  return {
    minutes,
    hours,
    isHourly: hours.length === HOURS_PER_DAY,
    isOnDay(month, dayOfMonth, dayOfWeek) {
      if (inMonths?.has(month) !== true) return false;
      const [isDay, isWeekday] = [onDays?.has(dayOfMonth), onWeekdays?.has(dayOfWeek)];
      if (anyDay || anyWeekday) return isDay === true && isWeekday === true;
      // As in every crontab: where both kinds of days are named, one of them is enough.
      return isDay === true || isWeekday === true;
    },
  };
}

/** True if the field does not restrict anything. */
function isAny(part: string | undefined): boolean {
  return part === "*" || part === "*/1";
}

/** Describes the problem as the end of the sentence "it …"; undefined if the schedule is valid. */
export function cronProblem(text: string): string | undefined {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) {
    return "needs five fields: minute, hour, day of the month, month, day of the week";
  }
  const values: (readonly number[])[] = [];
  for (const [at, field] of FIELDS.entries()) {
    const part = parts[at] ?? "";
    const found = valuesOf(part, field);
    if (found === undefined) {
      return `has '${part}' for the ${field.name}, which goes from ${field.min} to ${field.max}`;
    }
    values.push(found);
  }
  const [, , days = [], months = []] = values;
  const isPossible = months.some((month) => Math.min(...days) <= (LONGEST_MONTHS[month - 1] ?? 0));
  return isAny(parts[4]) && !isPossible ? "names a day that no year has" : undefined;
}

/**
 * Parses each item of a field separately: `cron-parser` refuses a list that contains a value twice,
 * such as `0-30,15`, but other crontabs accept it.
 */
function valuesOf(part: string, { key, item }: Field): number[] | undefined {
  const values: number[] = [];
  for (const text of part.split(",")) {
    if (!item.test(text)) return undefined;
    const alone = FIELDS.map((field) => (field.key === key ? text : "*")).join(" ");
    try {
      values.push(...CronExpressionParser.parse(alone).fields[key].values.map(Number));
    } catch {
      return undefined;
    }
  }
  return values;
}
