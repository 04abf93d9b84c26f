import type { TenantContext } from "#kernel/context.ts";
import type { CatchUp, Changed, ChangedPage, PageWish } from "../kit/catch-up.ts";
import { VendorProblem } from "../kit/connector.ts";
import { textAt, timeAt } from "../kit/values.ts";
import { type PretixConnection, readPretix } from "./pretix.client.ts";
import type { PretixSettings } from "./pretix.config.ts";
import { isEventName, subjectOf } from "./pretix.delivery.ts";
import { pageOf } from "./pretix-plan.service.ts";

/** Of an organizer; tickets of further ones come by webhooks alone, unless the settings name them. */
const EVENT_PAGES_MAX = 20;
const NOT_FOUND = "pretix has no such event, or does not show it to the API token.";
/** In case pretix does not say when it made the answer: clocks differ. */
const OVERLAP_MS = 300_000;

/** Every night: the orders of each event that changed since the night before. */
export const pretixCatchUp: CatchUp<PretixConnection> = { parts: listEvents, page: listOrders };

async function listEvents(
  context: TenantContext,
  connection: PretixConnection,
  signal: AbortSignal,
): Promise<string[]> {
  if (connection.settings.events !== undefined) return [...connection.settings.events];
  const slugs: string[] = [];
  for (let page = 1; page <= EVENT_PAGES_MAX; page += 1) {
    const query = [["page", String(page)]] as const;
    const found = await readPretix(context, connection, { path: ["events"], query }, signal);
    if (found === undefined) throw new VendorProblem(NOT_FOUND);
    const { results, hasMore } = pageOf(found);
    slugs.push(...results.flatMap((event) => textAt(event, "slug") ?? []));
    if (!hasMore || results.length === 0) break;
  }
  return [...new Set(slugs)].filter(isEventName);
}

async function listOrders(
  context: TenantContext,
  connection: PretixConnection,
  { part: event, since, page }: PageWish,
  signal: AbortSignal,
): Promise<ChangedPage> {
  const asked = context.clock.now();
  const query: [string, string][] = [
    ["ordering", "last_modified"],
    ["page", String(page)],
    // No more than what says whether an order has to be asked for.
    ...["code", "last_modified"].map((member): [string, string] => ["include", member]),
  ];
  if (since !== undefined) query.push(["modified_since", since]);
  const request = { path: ["events", event, "orders"], query };
  const found = await readPretix(context, connection, request, signal);
  // Behind the last page there is nothing: orders have changed meanwhile.
  if (found === undefined && page > 1) return { changed: [], hasMore: false, nextSince: "" };
  if (found === undefined) throw new VendorProblem(NOT_FOUND);
  const { results, hasMore } = pageOf(found);
  const generated = timeAt({ at: found.generated }, "at");
  const nextSince = generated ?? new Date(asked.getTime() - OVERLAP_MS);
  return {
    changed: results.flatMap((order) => changedOrder(connection.settings, event, order) ?? []),
    hasMore,
    nextSince: nextSince.toISOString(),
  };
}

function changedOrder(
  settings: PretixSettings,
  event: string,
  order: unknown,
): Changed | undefined {
  const code = textAt(order, "code");
  const occurredAt = timeAt(order, "last_modified");
  if (code === undefined || occurredAt === undefined) return undefined;
  const { organizer } = settings;
  const subject = subjectOf(settings, { event, code });
  const topic = "catch-up";
  return {
    dedupeKey: `${topic} ${subject} ${occurredAt.toISOString()}`,
    topic,
    subject,
    occurredAt,
    body: { organizer, event, code, action: topic },
  };
}
