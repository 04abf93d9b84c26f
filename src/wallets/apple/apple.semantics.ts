import {
  type CompiledTemplate,
  isDecimal,
  type JsonObject,
  moment,
  type RenderedPass,
} from "#src/templates/language/public.ts";
import { defined, definedOrNothing } from "../json.values.ts";

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
      return definedOrNothing(eventTags(main));
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

function eventTags(main: RenderedPass): JsonObject {
  const { details } = main;
  const seat = definedOrNothing({
    seatSection: details.get("event.section"),
    seatRow: details.get("event.row"),
    seatNumber: details.get("event.seat"),
  });
  return {
    eventName: details.get("event.name"),
    venueName: details.get("event.venue"),
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
    transitProvider: details.get("transit.carrierName"),
    confirmationNumber: details.get("transit.confirmation"),
    boardingGroup: details.get("transit.group"),
    ticketFareClass: details.get("transit.class"),
    passengerName: passenger === undefined ? undefined : personName(passenger),
    seats: seat === undefined ? undefined : [{ seatNumber: seat }],
  };
}

function personName(name: string): JsonObject {
  const words = name.trim().split(/\s+/);
  const familyName = words.length > 1 ? words.at(-1) : undefined;
  const givenName = familyName === undefined ? name : words.slice(0, -1).join(" ");
  return defined({ givenName, familyName });
}

function flightTags(main: RenderedPass): JsonObject {
  const { details } = main;
  const number = Number(details.get("transit.number"));
  const carrier = details.get("transit.carrier");
  return {
    ...travelTags(main),
    airlineCode: carrier,
    flightNumber: Number.isInteger(number) && number > 0 ? number : undefined,
    flightCode: carrier === undefined ? undefined : `${carrier}${details.get("transit.number")}`,
    departureAirportCode: details.get("transit.origin.code"),
    departureAirportName: details.get("transit.origin.name"),
    departureGate: details.get("transit.gate"),
    departureTerminal: details.get("transit.terminal"),
    destinationAirportCode: details.get("transit.destination.code"),
    destinationAirportName: details.get("transit.destination.name"),
  };
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
