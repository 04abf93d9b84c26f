import { type JsonObject, moment, type RenderedPass } from "#src/templates/language/public.ts";
import { defined, orUndefined } from "../json.values.ts";
import { RELEVANT_SPAN_MAX_MS } from "./pass-json/pass-json.facts.ts";

/** Where and when iOS offers the pass on the lock screen. */

export const LOCATIONS_MAX = 10;

export function relevance(main: RenderedPass): JsonObject {
  const locations = main.locations
    .slice(0, LOCATIONS_MAX)
    .map(({ latitude, longitude, text }) =>
      defined({ latitude, longitude, relevantText: orUndefined(text) }),
    );
  const start =
    moment(main, "event.start") ??
    moment(main, "transit.estimatedDeparture") ??
    moment(main, "transit.departure");
  return {
    locations: locations.length === 0 ? undefined : locations,
    relevantDates: start === undefined ? undefined : [relevantTime(main, start)],
    // Systems before iOS 18 know only this one, and later ones do not read it beside `relevantDates`.
    relevantDate: start,
  };
}

/**
 * An event is relevant from its doors to its end. An interval from the start would offer the ticket when its
 * holder is inside: without doors before it, Wallet itself chooses how long before the start. It does so for an
 * event of several days, too: iOS ignores an interval of more than a day, and the ticket would never come forward.
 */
function relevantTime(main: RenderedPass, start: string): JsonObject {
  const startDate = moment(main, "event.doors");
  const endDate = moment(main, "event.end");
  if (startDate !== undefined && endDate !== undefined) {
    const [doors, begins, ends] = [Date.parse(startDate), Date.parse(start), Date.parse(endDate)];
    const isInOrder = doors < begins && begins < ends;
    if (isInOrder && ends - doors <= RELEVANT_SPAN_MAX_MS) return { startDate, endDate };
  }
  // iOS versions differ in the name of this member. Both names are sent, so that all versions
  // find it.
  return { date: start, relevantDate: start };
}
