export type Duration = {
  readonly years: number;
  readonly months: number;
  readonly days: number;
  readonly seconds: number;
};

const DURATION =
  /^P(?=.)(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?=.)(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$/;

/** Parses an ISO 8601 duration such as `P2Y`, `P30D` or `PT12H`. */
export function parseDuration(text: string): Duration | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const part = (at: number): number => Number(match[at] ?? 0);
  return {
    years: part(1),
    months: part(2),
    days: part(3) * 7 + part(4),
    seconds: part(5) * 3_600 + part(6) * 60 + part(7),
  };
}

/**
 * One month after 31 January is the last day of February: the date never moves to the next month.
 */
export function addDuration(from: Date, duration: Duration): Date {
  const day = from.getUTCDate();
  const date = new Date(from);
  date.setUTCDate(1);
  date.setUTCFullYear(date.getUTCFullYear() + duration.years, date.getUTCMonth() + duration.months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay) + duration.days);
  date.setTime(date.getTime() + duration.seconds * 1_000);
  return date;
}
