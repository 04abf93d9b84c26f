import type { components } from "../../generated/schema.ts";
import { api, type ListPage, takePage } from "../api/client.ts";
import { type Filter, type ListWish, listQuery } from "../api/list-query.ts";
import { periodFilters } from "../parts/period/since.ts";
import type { MovementSearch } from "./page.ts";

export type Movement = components["schemas"]["MovementOfPass"];

export const TYPES = ["redemption", "issuance", "adjustment"] as const;

const PASS_ID = /^ps_/;
const MOVEMENT_ID = /^mv_/;

/** A privilege that is created with a value begins with a movement. */
export const MOVEMENT_EVENTS = ["privilege."];

export const listMovements = (tenantId: string, wish: ListWish): Promise<ListPage<Movement>> =>
  takePage(
    api.GET("/api/{tenantId}/movements", {
      params: { path: { tenantId }, query: listQuery(wish) },
    }),
  );

/** The filters beside the field that one types into. */
export function filtersOf({ type, days }: MovementSearch): Filter[] {
  const ofType: Filter[] = TYPES.some((known) => known === type)
    ? [{ field: "type", operator: "equals", value: type ?? "" }]
    : [];
  return [...ofType, ...periodFilters("occurredAt", days)];
}

/** Ids are known by their beginning; everything else is a part of a reference. */
export function typedFilter(value: string): Filter[] {
  if (PASS_ID.test(value)) return [{ field: "passId", operator: "equals", value }];
  if (MOVEMENT_ID.test(value)) return [{ field: "movementId", operator: "equals", value }];
  return [{ field: "reference", operator: "contains", value }];
}
