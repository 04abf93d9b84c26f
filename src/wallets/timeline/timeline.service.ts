import type { TenantContext } from "#kernel/context.ts";
import { validationProblem } from "#kernel/errors.ts";
import { nextLink } from "#kernel/http/lists/list-cursor.ts";
import { PAGE_SIZE_DEFAULT } from "#kernel/http/lists/list-query.ts";
import { type Answer, answer } from "#kernel/http/route.ts";
import { listEventsAbout } from "#src/events/public.ts";
import { getPass } from "#src/passes/public.ts";
import { shownDevice } from "../apple/deliveries/delivery.schema.ts";
import { type DeliveryStep, listSteps } from "../apple/deliveries/delivery-ledger.repository.ts";
import { readTimelineCursor, type TimelinePlace, writeTimelineCursor } from "./timeline.cursor.ts";
import { presentEvent } from "./timeline.details.ts";
import type { TimelineEntry, TimelineQuery } from "./timeline.schema.ts";

const MOMENT_MS = 1;

/** One page of what happened to a pass, the newest first. */
export async function listTimelineOf(
  context: TenantContext,
  passId: string,
  query: TimelineQuery,
  url: string,
): Promise<Answer> {
  await getPass(context, passId);
  const place = placeOf(context, query);
  const size = query.pageSize ?? PAGE_SIZE_DEFAULT;
  const entries = await listEntries(context, passId, place, size);
  const shown = entries.slice(place.passed, place.passed + size);
  const last = shown.at(-1);
  const headers =
    last === undefined || entries.length <= place.passed + size
      ? {}
      : { link: nextLink(url, writeTimelineCursor(placeAfter(entries, last))) };
  return answer(shown, { headers });
}

function placeOf({ runtime }: TenantContext, { cursor }: TimelineQuery): TimelinePlace {
  if (cursor === undefined) {
    // Clocks of nodes differ a little, and nothing that happened may be missing.
    return { at: new Date(runtime.clock.now().getTime() + 60_000), passed: 0 };
  }
  const place = readTimelineCursor(cursor);
  if (place === undefined) throw validationProblem({ cursor: ["is not a cursor of this list"] });
  return place;
}

/** At least those of the page and one more, beginning with all of the moment of the place. */
async function listEntries(
  context: TenantContext,
  passId: string,
  { at, passed }: TimelinePlace,
  size: number,
): Promise<TimelineEntry[]> {
  const before = new Date(at.getTime() + MOMENT_MS);
  const count = passed + size + 1;
  const [events, steps] = await Promise.all([
    listEventsAbout(context, passId, before, count),
    listSteps(context, passId, before, count),
  ]);
  const entries = [
    ...events.map(presentEvent),
    ...steps.map((step) => presentStep(context.tenantId, step)),
  ];
  // A stable order: entries of one moment stay as their lists have them.
  return entries.sort((left, right) => Date.parse(right.at) - Date.parse(left.at)).slice(0, count);
}

function placeAfter(entries: readonly TimelineEntry[], last: TimelineEntry): TimelinePlace {
  const upToLast = entries.slice(0, entries.indexOf(last) + 1);
  const passed = upToLast.filter(({ at }) => at === last.at).length;
  return { at: new Date(last.at), passed };
}

function presentStep(tenantId: string, step: DeliveryStep): TimelineEntry {
  const { revision, pushes, status, reason } = step;
  const isPush = step.step === "pushed";
  return {
    at: step.at.toISOString(),
    kind: isPush ? "push" : "question",
    name: `apple.${step.step}`,
    eventId: null,
    requestId: null,
    reference: { type: "device", id: shownDevice(tenantId, step.deviceId) },
    details: {
      wallet: "apple",
      revision,
      ...(isPush ? { pushes, status, reason } : {}),
    },
  };
}
