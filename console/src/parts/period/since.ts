import type { Filter } from "../../api/list-query.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const DAYS_MAX = 3_650;

/** The periods that people choose from, as they stand in addresses: so many days back from now. */
export const DAYS = ["1", "7", "30", "90"] as const;

/**
 * When a period began; undefined for what is no number of days. To the hour: so the same question
 * keeps its answer while one looks around, and a list begins with the hour that the numbers of the
 * overview begin with.
 */
export function sinceOf(days: string | undefined): Date | undefined {
  const count = Number(days);
  if (!(count > 0 && count <= DAYS_MAX)) return undefined;
  return new Date(fullHour(Date.now() - count * DAY_MS));
}

/** When the hour of an instant began. */
export const fullHour = (instant: number): number => Math.floor(instant / HOUR_MS) * HOUR_MS;

/** What of a list happened in the period, by the field that tells when. */
export function periodFilters(field: string, days: string | undefined): Filter[] {
  const since = sinceOf(days);
  if (since === undefined) return [];
  // Lists only know "after". Times are kept in milliseconds, so this is "from that hour on".
  const value = new Date(since.getTime() - 1).toISOString();
  return [{ field, operator: "greaterThan", value }];
}
