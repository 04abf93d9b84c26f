import { isTimeZone } from "#kernel/intl.ts";
import {
  type CompiledTemplate,
  type EventType,
  isDecimal,
  type JsonObject,
  moment,
  type RenderedPass,
  type TripStatus,
  tripStatus,
} from "#src/templates/language/public.ts";
import { defined, definedOrNothing } from "../json.values.ts";
import { flightNumber } from "../trips/flight.values.ts";

/**
 * Builds the semantic tags. iOS uses them for more than showing the pass: calendar entries, flight
 * status, seats.
 */
export function appleSemantics(
  { kind, template }: Pick<CompiledTemplate, "kind" | "template">,
  main: RenderedPass,
): JsonObject | undefined {
  switch (kind) {
    case "eventTicket":
      return definedOrNothing(eventTags(main, template.event?.type));
    case "boardingPass":
      return definedOrNothing(
        template.transit?.type === "air" ? flightTags(main) : journeyTags(main),
      );
    case "giftCard":
      return balanceTags(main, template.giftCard?.currency);
    default:
      return undefined;
  }
}

const EVENT_TYPES: Readonly<Record<EventType, string>> = {
  generic: "PKEventTypeGeneric",
  livePerformance: "PKEventTypeLivePerformance",
  movie: "PKEventTypeMovie",
  sports: "PKEventTypeSports",
  conference: "PKEventTypeConference",
  convention: "PKEventTypeConvention",
  workshop: "PKEventTypeWorkshop",
  socialGathering: "PKEventTypeSocialGathering",
};

function eventTags(main: RenderedPass, type: EventType | undefined): JsonObject {
  const { details } = main;
  const performers = (details.get("event.performers") ?? "")
    .split(";")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const seat = definedOrNothing({
    seatSection: details.get("event.section"),
    seatRow: details.get("event.row"),
    seatNumber: details.get("event.seat"),
  });
  return {
    eventType: type === undefined ? undefined : EVENT_TYPES[type],
    eventName: details.get("event.name"),
    performerNames: performers.length === 0 ? undefined : performers,
    homeTeamName: details.get("event.home.name"),
    homeTeamAbbreviation: details.get("event.home.abbreviation"),
    awayTeamName: details.get("event.away.name"),
    awayTeamAbbreviation: details.get("event.away.abbreviation"),
    venueName: details.get("event.venue"),
    venueRegionName: details.get("event.region"),
    venueRoom: details.get("event.room"),
    eventStartDate: moment(main, "event.start"),
    eventEndDate: moment(main, "event.end"),
    venueDoorsOpenDate: moment(main, "event.doors"),
    venueEntranceGate: details.get("event.gate"),
    attendeeName: details.get("event.holder"),
    admissionLevel: details.get("event.ticketType"),
    seats: seat === undefined ? undefined : [seat],
  };
}

function travelTags(main: RenderedPass): JsonObject {
  const { details } = main;
  const seat = details.get("transit.seat");
  const passenger = details.get("transit.passenger");
  return {
    originalDepartureDate: moment(main, "transit.departure"),
    originalArrivalDate: moment(main, "transit.arrival"),
    originalBoardingDate: moment(main, "transit.boarding"),
    currentDepartureDate: moment(main, "transit.estimatedDeparture"),
    currentArrivalDate: moment(main, "transit.estimatedArrival"),
    currentBoardingDate: moment(main, "transit.estimatedBoarding"),
    transitStatus: details.get("transit.statusText") ?? statusWords(details.get("transit.status")),
    transitStatusReason: details.get("transit.statusReason"),
    transitProvider: details.get("transit.carrierName"),
    confirmationNumber: details.get("transit.confirmation"),
    boardingGroup: details.get("transit.group"),
    ticketFareClass: details.get("transit.class"),
    passengerName: passenger === undefined ? undefined : personName(passenger),
    seats: seat === undefined ? undefined : [{ seatNumber: seat }],
  };
}

const STATUS_WORDS: Readonly<Record<TripStatus, string>> = {
  scheduled: "Scheduled",
  delayed: "Delayed",
  boarding: "Boarding",
  active: "Departed",
  landed: "Arrived",
  cancelled: "Cancelled",
  redirected: "Redirected",
  diverted: "Diverted",
};

/** Apple Wallet shows a status in any words, so one that is not known stays as it is. */
function statusWords(text: string | undefined): string | undefined {
  const status = tripStatus(text);
  return status === undefined ? text : STATUS_WORDS[status];
}

function personName(name: string): JsonObject {
  const words = name.trim().split(/\s+/);
  const familyName = words.length > 1 ? words.at(-1) : undefined;
  const givenName = familyName === undefined ? name : words.slice(0, -1).join(" ");
  return defined({ givenName, familyName });
}

function flightTags(main: RenderedPass): JsonObject {
  const { details } = main;
  const carrier = details.get("transit.carrier");
  const written = flightNumber(details.get("transit.number"), carrier);
  const number = Number(written);
  const isWhole = carrier !== undefined && written !== undefined;
  return {
    ...travelTags(main),
    airlineCode: carrier,
    flightNumber: Number.isInteger(number) && number > 0 ? number : undefined,
    flightCode: isWhole ? `${carrier}${written}` : undefined,
    departureAirportCode: details.get("transit.origin.code"),
    departureAirportName: details.get("transit.origin.name"),
    departureCityName: details.get("transit.origin.city"),
    ...zoneTags("departure", details.get("transit.origin.timeZone")),
    departureGate: details.get("transit.gate"),
    departureTerminal: details.get("transit.terminal"),
    destinationAirportCode: details.get("transit.destination.code"),
    destinationAirportName: details.get("transit.destination.name"),
    destinationCityName: details.get("transit.destination.city"),
    ...zoneTags("destination", details.get("transit.destination.timeZone")),
  };
}

/**
 * Apple documents one name and checks for the other; systems read both. A tag that is wrong is worse than
 * none: phones refuse the whole pass.
 */
function zoneTags(end: "departure" | "destination", name: string | undefined): JsonObject {
  const zone = name !== undefined && isTimeZone(name) ? name : undefined;
  return { [`${end}LocationTimeZone`]: zone, [`${end}AirportTimeZone`]: zone };
}

function journeyTags(main: RenderedPass): JsonObject {
  const { details } = main;
  return {
    ...travelTags(main),
    vehicleNumber: details.get("transit.number"),
    carNumber: details.get("transit.carriage"),
    departureStationName: details.get("transit.origin.name"),
    departurePlatform: details.get("transit.platform"),
    destinationStationName: details.get("transit.destination.name"),
  };
}

function balanceTags({ details }: RenderedPass, currencyCode: string | undefined) {
  const amount = details.get("giftCard.balance");
  if (amount === undefined || currencyCode === undefined || !isDecimal(amount)) return undefined;
  return { balance: { amount, currencyCode } };
}
