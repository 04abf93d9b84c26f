/** Five fields of a schedule, as crontab knows them. */

type Field = {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly words?: readonly string[];
};

const MONTHS = [
  ...["jan", "feb", "mar", "apr", "may", "jun"],
  ...["jul", "aug", "sep", "oct", "nov", "dec"],
];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const MINUTE: Field = { name: "minute", min: 0, max: 59 };
const HOUR: Field = { name: "hour", min: 0, max: 23 };
const DAY: Field = { name: "day of the month", min: 1, max: 31 };
const MONTH: Field = { name: "month", min: 1, max: 12, words: MONTHS };
/** Sunday is 0 and 7. */
const WEEKDAY: Field = { name: "day of the week", min: 0, max: 7, words: DAYS };
const FIELDS = [MINUTE, HOUR, DAY, MONTH, WEEKDAY] as const;

const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** What is wrong with a schedule, to end the sentence "it …"; undefined when it can be kept. */
export function cronProblem(text: string): string | undefined {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) {
    return "needs five fields: minute, hour, day of the month, month, day of the week";
  }
  const values: number[][] = [];
  for (const [at, field] of FIELDS.entries()) {
    const part = parts[at] ?? "";
    const found = valuesOf(part, field);
    if (found === undefined) {
      return `has '${part}' for the ${field.name}, which goes from ${field.min} to ${field.max}`;
    }
    values.push(found);
  }
  const [, , days = [], months = []] = values;
  const isAnyWeekday = parts[4] === "*";
  const isPossible = months.some((month) => Math.min(...days) <= (LONGEST_MONTHS[month - 1] ?? 0));
  return isAnyWeekday && !isPossible ? "names a day that no year has" : undefined;
}

function valuesOf(part: string, field: Field): number[] | undefined {
  const values: number[] = [];
  for (const item of part.split(",")) {
    const range = rangeOf(item, field);
    if (range === undefined) return undefined;
    for (let value = range.from; value <= range.to; value += range.step) values.push(value);
  }
  return values;
}

const ITEM = /^(?:(\*)|(\w+)(?:-(\w+))?)(?:\/(\d{1,2}))?$/;

function rangeOf(item: string, field: Field) {
  const [, star, first, last, every] = ITEM.exec(item) ?? [];
  const step = every === undefined ? 1 : Number(every);
  if (step < 1 || (star === undefined && first === undefined)) return undefined;
  if (star !== undefined) return { from: field.min, to: field.max, step };
  const from = numberOf(first ?? "", field);
  // `5/15` counts on to the end; `5` is 5 alone.
  const to = last === undefined ? (every === undefined ? from : field.max) : numberOf(last, field);
  return from === undefined || to === undefined || from > to ? undefined : { from, to, step };
}

function numberOf(text: string, { min, max, words = [] }: Field): number | undefined {
  const word = words.indexOf(text.toLowerCase());
  const value = word === -1 ? Number(/^\d{1,2}$/.test(text) ? text : Number.NaN) : word + min;
  return value >= min && value <= max ? value : undefined;
}
