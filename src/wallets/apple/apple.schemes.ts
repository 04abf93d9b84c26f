import { isObject } from "#kernel/json.ts";
import type { CompiledTemplate, JsonObject } from "#src/templates/language/public.ts";

/**
 * Newer systems show tickets and boarding passes in richer styles if the pass has all that those
 * styles need. Older systems show the classic style, which is always there, too.
 */

const POSTER_TAGS = ["eventName", "venueName", "venueRegionName", "venueRoom"];
/** What the poster of some types of event needs in addition. */
const EVENT_TAGS: Readonly<Record<string, readonly string[]>> = {
  PKEventTypeSports: ["homeTeamAbbreviation", "awayTeamAbbreviation"],
  PKEventTypeLivePerformance: ["performerNames"],
};

const BOARDING_TAGS = [
  ...["airlineCode", "flightNumber", "passengerName"],
  ...["departureAirportCode", "departureCityName", "departureLocationTimeZone"],
  ...["destinationAirportCode", "destinationCityName", "destinationLocationTimeZone"],
  ...["originalArrivalDate", "originalBoardingDate", "originalDepartureDate"],
];

/**
 * The styles that the content asks for, best first; undefined if it has not all that the richer one
 * needs, because the system would then show parts of it empty.
 */
export function preferredStyles(
  { kind, template }: Pick<CompiledTemplate, "kind" | "template">,
  content: JsonObject,
): readonly string[] | undefined {
  const tags = isObject(content.semantics) ? content.semantics : {};
  const hasAll = (names: readonly string[]) => names.every((name) => tags[name] !== undefined);
  if (kind === "boardingPass") {
    const isFlight = template.transit?.type === "air";
    return isFlight && hasAll(BOARDING_TAGS) ? ["semanticBoardingPass", "boardingPass"] : undefined;
  }
  if (kind !== "eventTicket") return undefined;
  const more = EVENT_TAGS[String(tags.eventType)] ?? [];
  const { background, strip } = template.images ?? {};
  const hasPicture = background !== undefined && strip === undefined;
  // The poster has no room for a barcode: whoever holds it enters by holding the phone to a reader.
  const entersByNfc = isObject(content.nfc) && content.nfc.requiresAuthentication !== undefined;
  return hasAll([...POSTER_TAGS, ...more]) && hasPicture && entersByNfc
    ? ["posterEventTicket", "eventTicket"]
    : undefined;
}
