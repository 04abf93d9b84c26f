import type { Filter } from "../api/list-query.ts";
import { periodFilters } from "../parts/period/since.ts";
import type { PassesSearch } from "./page.ts";
import type { Pass } from "./pass.ts";

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const PASS_ID = /^ps_/;

export const STATUSES = ["active", "disabled", "expired"] as const;
export const INSTALLATIONS = ["installed", "uninstalled", "none"] as const;

const isOneOf = (values: readonly string[], text: string | undefined): text is string =>
  text !== undefined && values.includes(text);

/**
 * The filters that the address asks for, without the text. Each of them leads through an index, so
 * a list of a million passes answers as quickly as one of a hundred.
 */
export function filtersOf(search: Partial<PassesSearch>): readonly Filter[] {
  const { status, installed, type, days, from, to } = search;
  const filters: Filter[] = [];
  const equals = (field: string, value: string) =>
    filters.push({ field, operator: "equals", value });
  if (isOneOf(STATUSES, status)) equals("status", status);
  if (isOneOf(INSTALLATIONS, installed)) equals("installationStatus", installed);
  if (type !== undefined && type !== "") equals("passType", type);
  const created = (operator: "greaterThan" | "lessThan", value: string) =>
    filters.push({ field: "creationDate", operator, value });
  filters.push(...periodFilters("creationDate", days));
  if (from !== undefined && DAY.test(from)) created("greaterThan", startOf(from));
  if (to !== undefined && DAY.test(to)) created("lessThan", startOf(to, 1));
  return filters;
}

/** The beginning of a day where the person is, or of the day after. */
function startOf(day: string, plusDays = 0): string {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + plusDays);
  return date.toISOString();
}

/** The text is sought at the beginning of one field, because that is what an index can do. */
export function textFilter(text: string, field: string): readonly Filter[] {
  const sought = PASS_ID.test(text) ? "id" : field;
  return [{ field: sought, operator: "startsWith", value: text.trim() }];
}

/** The fields that one can search in, as far as the passes on the screen tell. */
export function searchableFields(passes: readonly Pass[]): readonly string[] {
  const names = new Set<string>();
  for (const { identifiers, additionalData } of passes) {
    for (const name of Object.keys(identifiers ?? {})) names.add(`identifiers.${name}`);
    for (const [name, value] of Object.entries(additionalData ?? {})) {
      if (typeof value === "string") names.add(`additionalData.${name}`);
    }
  }
  const all = [...names].sort();
  // Most people look for an identifier.
  const isIdentifier = (name: string) => name.startsWith("identifiers.");
  return [...all.filter(isIdentifier), ...all.filter((name) => !isIdentifier(name))];
}

/** Names of the address that filter, to be cleared together. */
export const NO_FILTERS = {
  q: undefined,
  status: undefined,
  installed: undefined,
  type: undefined,
  days: undefined,
  from: undefined,
  to: undefined,
} as const;
