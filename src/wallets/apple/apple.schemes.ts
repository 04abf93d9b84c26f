import { isObject } from "#kernel/json.ts";
import type { CompiledTemplate, JsonObject } from "#src/templates/language/public.ts";

/**
 * Newer systems show tickets and boarding passes in richer styles if the pass has all that those
 * styles need. Older systems show the classic style, which is always there, too.
 */
export type RichStyle = {
  /** What people call it. */
  readonly name: string;
  /** Best first. */
  readonly styles: readonly string[];
  readonly needs: readonly Need[];
};

/** A member of the template that the style needs, and whether this pass has what it gives. */
export type Need = { readonly member: string; readonly isMet: boolean };

type Tags = Readonly<Record<string, string>>;

/** Semantic tags, each with the member of the template that gives it. */
const POSTER_TAGS: Tags = {
  eventName: "event.name",
  venueName: "event.venue",
  venueRegionName: "event.region",
  venueRoom: "event.room",
};
/** What the poster of some types of event needs in addition. */
const EVENT_TAGS: Readonly<Record<string, Tags>> = {
  PKEventTypeSports: {
    homeTeamAbbreviation: "event.home.abbreviation",
    awayTeamAbbreviation: "event.away.abbreviation",
  },
  PKEventTypeLivePerformance: { performerNames: "event.performers" },
};

const BOARDING_TAGS: Tags = {
  airlineCode: "transit.carrier",
  flightNumber: "transit.number",
  passengerName: "transit.passenger",
  departureAirportCode: "transit.origin.code",
  departureCityName: "transit.origin.city",
  departureLocationTimeZone: "transit.origin.timeZone",
  destinationAirportCode: "transit.destination.code",
  destinationCityName: "transit.destination.city",
  destinationLocationTimeZone: "transit.destination.timeZone",
  originalBoardingDate: "transit.boarding",
  originalDepartureDate: "transit.departure",
  originalArrivalDate: "transit.arrival",
};

type Template = Pick<CompiledTemplate, "kind" | "template">;

/** The richer style of a kind of pass; undefined for kinds that have none. */
export function richStyleOf(
  { kind, template }: Template,
  content: JsonObject,
): RichStyle | undefined {
  const tags = isObject(content.semantics) ? content.semantics : {};
  const needsOf = (needed: Tags): Need[] =>
    Object.entries(needed).map(([tag, member]) => ({ member, isMet: tags[tag] !== undefined }));
  if (kind === "boardingPass") {
    const isFlight = { member: "transit.type: air", isMet: template.transit?.type === "air" };
    return {
      name: "the boarding pass of iOS 26",
      styles: ["semanticBoardingPass", "boardingPass"],
      needs: [isFlight, ...needsOf(BOARDING_TAGS)],
    };
  }
  if (kind !== "eventTicket") return undefined;
  const { artwork, background, strip } = template.images ?? {};
  const hasPicture = artwork !== undefined || (background !== undefined && strip === undefined);
  // The poster has no room for a barcode: whoever holds it enters by holding the phone to a reader.
  const entersByNfc = isObject(content.nfc) && content.nfc.requiresAuthentication !== undefined;
  return {
    name: "the poster of an event",
    styles: ["posterEventTicket", "eventTicket"],
    needs: [
      ...needsOf({ ...POSTER_TAGS, ...EVENT_TAGS[String(tags.eventType)] }),
      { member: "images.artwork", isMet: hasPicture },
      { member: "nfc.requiresAuthentication", isMet: entersByNfc },
    ],
  };
}

/**
 * The styles that the content asks for, best first; undefined if it has not all that the richer one
 * needs, because the system would then show parts of it empty.
 */
export function preferredStyles(
  template: Template,
  content: JsonObject,
): readonly string[] | undefined {
  const rich = richStyleOf(template, content);
  return rich?.needs.every(({ isMet }) => isMet) ? rich.styles : undefined;
}
