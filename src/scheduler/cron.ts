import { CronExpressionParser } from "cron-parser";

/**
 * Schedules of five fields, as in a crontab. `cron-parser` reads them, and also calculates the
 * times at which jobs run. Its extensions (`L`, `#`, `H`, `@daily`) are refused, because other
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
  return parts[4] === "*" && !isPossible ? "names a day that no year has" : undefined;
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
