import type { components } from "../../../generated/schema.ts";
import { api, type ListPage, take, takePage } from "../../api/client.ts";
import { quote } from "../../api/curl.ts";
import { type Filter, type ListWish, listQuery } from "../../api/list-query.ts";
import { fullHour, periodFilters } from "../../parts/period/since.ts";
import { type Job, webhooksOf } from "../webhook.ts";
import type { DeliverySearch } from "./page.ts";

type Schemas = components["schemas"];
export type Delivery = Schemas["Delivery"];
export type DeliverySummary = Schemas["DeliverySummary"];
export type DeliveryOfWebhook = Schemas["DeliveryOfWebhook"];
export type Attempt = Schemas["DeliveryAttempt"];
export type DeliveryState = DeliverySummary["state"];

export const STATES: readonly DeliveryState[] = ["delivered", "pending", "retrying", "failed"];

const HOUR_MS = 3_600_000;
/** Periods that deliveries are filtered by, as they stand in the address. */
export const PERIODS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS } as const;
export type Period = keyof typeof PERIODS;

export const deliveriesOf = (tenantId: string): readonly unknown[] => [
  ...webhooksOf(tenantId),
  "deliveries",
];
/** Of one webhook and of all: what changes a delivery changes both lists. */
export const deliveryListsOf = (tenantId: string): readonly unknown[] => [
  ...deliveriesOf(tenantId),
  "list",
];
export const deliveryOf = (
  tenantId: string,
  id: string,
  deliveryId: string,
): readonly unknown[] => [...deliveriesOf(tenantId), "one", id, deliveryId];

export type DeliveryFilter = {
  readonly state: string | undefined;
  readonly period: string | undefined;
};

export function filtersOf({ state, period }: DeliveryFilter): Filter[] {
  const filters: Filter[] = [];
  if (state !== undefined) filters.push({ field: "state", operator: "equals", value: state });
  const lengthMs = PERIODS[period as Period] as number | undefined;
  if (lengthMs !== undefined) {
    const value = new Date(beginOf(lengthMs)).toISOString();
    filters.push({ field: "createdAt", operator: "greaterThan", value });
  }
  return filters;
}

/** Days begin with a full hour, as those of the overview do. */
function beginOf(lengthMs: number): number {
  const begin = Date.now() - lengthMs;
  return lengthMs === HOUR_MS ? begin : fullHour(begin);
}

export const listDeliveries = (
  tenantId: string,
  id: string,
  wish: ListWish,
): Promise<ListPage<DeliverySummary>> =>
  takePage(
    api.GET("/api/{tenantId}/webhooks/{id}/deliveries", {
      params: { path: { tenantId, id }, query: listQuery(wish) },
    }),
  );

const EVENT_ID = /^evt_/;

/** The filters of all deliveries beside the field that one types into. */
export function allFiltersOf({ state, webhook, days }: DeliverySearch): Filter[] {
  const filters: Filter[] = [];
  if (STATES.some((known) => known === state)) {
    filters.push({ field: "state", operator: "equals", value: state ?? "" });
  }
  if (webhook !== undefined) {
    filters.push({ field: "webhookId", operator: "equals", value: webhook });
  }
  return [...filters, ...periodFilters("createdAt", days)];
}

/** Ids are known by their beginning; everything else is a part of the name of an event. */
export const typedFilter = (value: string): Filter[] =>
  EVENT_ID.test(value)
    ? [{ field: "id", operator: "equals", value }]
    : [{ field: "event", operator: "contains", value }];

export const listAllDeliveries = (
  tenantId: string,
  wish: ListWish,
): Promise<ListPage<DeliveryOfWebhook>> =>
  takePage(
    api.GET("/api/{tenantId}/deliveries", {
      params: { path: { tenantId }, query: listQuery(wish) },
    }),
  );

export const getDelivery = (tenantId: string, id: string, deliveryId: string): Promise<Delivery> =>
  take(
    api.GET("/api/{tenantId}/webhooks/{id}/deliveries/{deliveryId}", {
      params: { path: { tenantId, id, deliveryId } },
    }),
  );

export const redeliver = (tenantId: string, id: string, deliveryId: string): Promise<Delivery> =>
  take(
    api.POST("/api/{tenantId}/webhooks/{id}/deliveries/{deliveryId}/redeliver", {
      params: { path: { tenantId, id, deliveryId } },
    }),
  );

export const testWebhook = (
  tenantId: string,
  id: string,
  event: string | undefined,
): Promise<Delivery> =>
  take(
    api.POST("/api/{tenantId}/webhooks/{id}/test", {
      params: { path: { tenantId, id } },
      body: event === undefined ? {} : { event },
    }),
  );

export const recover = (
  tenantId: string,
  id: string,
  since: string,
): Promise<Schemas["Recovery"]> =>
  take(
    api.POST("/api/{tenantId}/webhooks/{id}/recover", {
      params: { path: { tenantId, id } },
      body: { since },
    }),
  );

export const getJob = (tenantId: string, jobId: string): Promise<Job> =>
  take(api.GET("/api/{tenantId}/jobs/{jobId}", { params: { path: { tenantId, jobId } } }));

export const isOpen = ({ state }: Pick<DeliverySummary, "state">): boolean =>
  state === "pending" || state === "retrying";

/** When the next of these deliveries is attempted, and what tells this state of them from another. */
export function dueOf(deliveries: readonly DeliverySummary[]) {
  const open = deliveries.filter(isOpen);
  const times = open.flatMap(({ nextAttemptAt: at }) => (at === null ? [] : [Date.parse(at)]));
  return {
    at: times.length === 0 ? undefined : Math.min(...times),
    mark: open
      .map(({ id, attemptCount, nextAttemptAt }) => `${id}${attemptCount}${nextAttemptAt}`)
      .join(),
  };
}

/** The same request for a terminal, to the byte. */
export function curlOfAttempt({ request }: Attempt, body: string | null): string {
  const headers = Object.entries(request.headers).map(
    ([name, value]) => `-H ${quote(`${name}: ${value}`)}`,
  );
  const lines = [`curl -i -X POST ${quote(request.url)}`, ...headers];
  if (body !== null) lines.push(`--data-binary ${quote(body)}`);
  return lines.join(" \\\n  ");
}
