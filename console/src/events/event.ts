import type { components } from "../../generated/schema.ts";
import { api, type ListPage, takePage } from "../api/client.ts";
import { sinceOf } from "../parts/period/since.ts";

export type Happened = components["schemas"]["EventEnvelope"];

const PAGE_SIZE = 50;
/** A page may be empty although more follows, when few of many events match. */
const EMPTY_PAGES_MAX = 8;

export type EventFilter = {
  readonly event: string | undefined;
  readonly about: string | undefined;
  /** How many days back. */
  readonly days: string | undefined;
};

export const eventsOf = (tenantId: string): readonly unknown[] => ["events", tenantId];

/** The newest first. */
export async function listEvents(
  tenantId: string,
  filter: EventFilter,
  after: string | undefined,
): Promise<ListPage<Happened>> {
  let page = await listOnce(tenantId, filter, after);
  for (let looks = 0; looks < EMPTY_PAGES_MAX; looks += 1) {
    if (page.items.length > 0 || page.cursor === undefined) break;
    page = await listOnce(tenantId, filter, page.cursor);
  }
  return page;
}

function listOnce(
  tenantId: string,
  { event, about, days }: EventFilter,
  cursor: string | undefined,
): Promise<ListPage<Happened>> {
  const since = sinceOf(days)?.toISOString();
  const query = {
    order: "desc" as const,
    pageSize: PAGE_SIZE,
    ...(event === undefined ? {} : { event: [event] }),
    ...(about === undefined ? {} : { about }),
    ...(since === undefined ? {} : { since }),
    ...(cursor === undefined ? {} : { cursor }),
  };
  const answer = api.GET("/api/{tenantId}/events", {
    params: { path: { tenantId }, query },
    parseAs: "text",
  });
  return takePage(
    answer.then(({ data, error, response }) => ({
      ...(data === undefined ? {} : { data: readExactly(data) }),
      error,
      response,
    })),
  );
}

type Exact = {
  parse(text: string, read: (key: string, value: unknown, at?: Source) => unknown): unknown;
  rawJSON?(text: string): unknown;
};
type Source = { readonly source?: string };

/** Numbers of events can have more digits than numbers of JavaScript; browsers that can, keep them. */
function readExactly(text: string): Happened[] {
  const json = JSON as unknown as Exact;
  return json.parse(text, (_key, value, at) =>
    typeof value === "number" && at?.source !== undefined && String(value) !== at.source
      ? (json.rawJSON?.(at.source) ?? value)
      : value,
  ) as Happened[];
}

/** The pass or customer that an event is about, as far as its data tells. */
export function subjectOf({ event, data }: Happened): string | undefined {
  const told = (typeof data === "object" && data !== null ? data : {}) as Record<string, unknown>;
  const id = told.passId ?? told.customerId ?? (event.startsWith("pass.") ? told.id : undefined);
  return typeof id === "string" ? id : undefined;
}
