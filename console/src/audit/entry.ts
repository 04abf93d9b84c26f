import type { components } from "../../generated/schema.ts";
import { api, type ListPage, takePage } from "../api/client.ts";
import { type Filter, type ListWish, listQuery } from "../api/list-query.ts";
import type { AuditSearch } from "./page.ts";

/** An entry of a tenant, or of the whole installation: then it says of which tenant. */
export type AuditEntry = components["schemas"]["AuditEntry"] & {
  readonly tenantId?: string | null;
};

/** Undefined for the whole installation. */
export type Place = string | undefined;

export const auditOf = (place: Place): readonly unknown[] => ["audit", place ?? "*"];

export const listAudit = (place: Place, wish: ListWish): Promise<ListPage<AuditEntry>> =>
  place === undefined
    ? takePage<AuditEntry>(api.GET("/api/audit", { params: { query: listQuery(wish) } }))
    : takePage<AuditEntry>(
        api.GET("/api/{tenantId}/admin/audit", {
          params: { path: { tenantId: place }, query: listQuery(wish) },
        }),
      );

export async function findEntry(place: Place, id: string): Promise<AuditEntry | undefined> {
  const filters = [{ field: "id", operator: "equals" as const, value: id }];
  return (await listAudit(place, { filters })).items[0];
}

/** The filters that the address means, besides what is typed above the table. */
export function filtersOf({ who, what, from, until, request }: AuditSearch): readonly Filter[] {
  const filters: Filter[] = [];
  if (who) filters.push({ field: "actorId", operator: "contains", value: who });
  if (what) filters.push({ field: "op", operator: "startsWith", value: what });
  if (request) filters.push({ field: "requestId", operator: "equals", value: request });
  const first = momentOf(from, "00:00:00");
  const last = momentOf(until, "23:59:59.999");
  if (first) filters.push({ field: "at", operator: "greaterThan", value: first });
  if (last) filters.push({ field: "at", operator: "lessThan", value: last });
  return filters;
}

/** The beginning or the end of a day, where the person is. */
function momentOf(day: string | undefined, time: string): string | undefined {
  const moment = new Date(`${day}T${time}`);
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}

export const hasFilters = (search: AuditSearch): boolean => filtersOf(search).length > 0;
