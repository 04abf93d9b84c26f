import {
  type CompiledTemplate,
  type ImageSlot,
  type JsonObject,
  type LocalizedPass,
  placeTime,
  type RenderedPass,
  type TripStatus,
  tripStatus,
} from "#src/templates/language/public.ts";
import { defined, definedOrNothing } from "../json.values.ts";
import { flightNumber } from "../trips/flight.values.ts";
import {
  detail,
  localized,
  localizedDetail,
  localTime,
  toMoney,
  translatedOnly,
} from "./google.values.ts";

export type GoogleType =
  | "loyalty"
  | "offer"
  | "eventTicket"
  | "flight"
  | "transit"
  | "giftCard"
  | "generic";

export type Image = (slot: ImageSlot) => JsonObject | undefined;
type Build = (
  compiled: Pick<CompiledTemplate, "template">,
  pass: LocalizedPass,
  image: Image,
) => JsonObject;

/** The parts of a class and an object that differ between Google's types. */
export type GoogleKind = {
  readonly ofClass: Build;
  readonly ofObject: Build;
  /**
   * Details that identify the class: passes with different values belong to different classes, such
   * as the tickets of two events.
   */
  readonly identity: readonly string[];
  /** The detail that identifies the class alone, on passes that have it. */
  readonly id?: string;
  /**
   * Members of the class, as paths, that say the same on all its passes. When one of them changes, Google
   * notifies the holders.
   */
  readonly announced?: readonly string[];
  /** Members that change with those, and may differ between the passes: changes of these alone notify no holder. */
  readonly unannounced?: readonly string[];
};

const firstPrimary = ({ fields }: RenderedPass) => fields.primary[0]?.text;
const organization = ({ organization: name }: RenderedPass) => name;

const issuer: Build = (_, pass) => ({
  issuerName: pass.main.organization,
  localizedIssuerName: translatedOnly(pass, organization),
  reviewStatus: "UNDER_REVIEW",
});

const loyalty: GoogleKind = {
  identity: [],
  ofClass: (compiled, pass, image) => ({
    ...issuer(compiled, pass, image),
    programName: compiled.template.name,
    programLogo: image("logo") ?? image("icon"),
    wideProgramLogo: image("wideLogo"),
  }),
  ofObject: ({ template }, pass) => {
    const { main } = pass;
    const points = main.fields.header[0];
    return {
      accountId: detail(pass, "member.id") ?? accountIdOf(main),
      accountName: detail(pass, "member.name") ?? firstPrimary(main),
      loyaltyPoints:
        points === undefined || points.text === ""
          ? undefined
          : defined({
              label: points.label || template.name,
              localizedLabel: translatedOnly(pass, ({ fields }) => fields.header[0]?.label),
              balance: { string: points.text },
            }),
    };
  },
};

function accountIdOf({ id, barcode }: RenderedPass): string {
  return barcode?.text || id;
}

const REDEMPTION = { instore: "INSTORE", online: "ONLINE", both: "BOTH" } as const;

const offerTitle = (pass: RenderedPass) =>
  pass.details.get("offer.title") ?? firstPrimary(pass) ?? pass.description;

const offer: GoogleKind = {
  identity: ["offer.title", "offer.details", "offer.finePrint"],
  ofClass: (compiled, pass, image) => ({
    ...issuer(compiled, pass, image),
    provider: pass.main.organization,
    localizedProvider: translatedOnly(pass, organization),
    title: offerTitle(pass.main) || compiled.template.name,
    localizedTitle: translatedOnly(pass, offerTitle),
    details: detail(pass, "offer.details"),
    localizedDetails: translatedOnly(pass, ({ details }) => details.get("offer.details")),
    finePrint: detail(pass, "offer.finePrint"),
    localizedFinePrint: translatedOnly(pass, ({ details }) => details.get("offer.finePrint")),
    redemptionChannel: REDEMPTION[compiled.template.offer?.redemption ?? "both"],
    titleImage: image("logo"),
    wideTitleImage: image("wideLogo"),
  }),
  ofObject: () => ({}),
};

const eventName = (pass: RenderedPass) =>
  pass.details.get("event.name") ?? firstPrimary(pass) ?? pass.description;

const eventTicket: GoogleKind = {
  identity: ["event.name", "event.venue", "event.start"],
  id: "event.id",
  announced: ["eventName", "venue", "dateTime.start", "dateTime.end"],
  // Tickets of one event may have other hours of admission.
  unannounced: ["dateTime.doorsOpen"],
  ofClass: (compiled, pass, image) => ({
    ...issuer(compiled, pass, image),
    eventName: localized(pass, eventName) ?? localized(pass, () => compiled.template.name),
    venue: venueOf(pass),
    dateTime: definedOrNothing({
      doorsOpen: placeTime(pass.main, "event.doors"),
      start: placeTime(pass.main, "event.start"),
      end: placeTime(pass.main, "event.end"),
    }),
    logo: image("logo"),
    wideLogo: image("wideLogo"),
  }),
  ofObject: (_, pass) => {
    const confirmationCode = detail(pass, "event.confirmation");
    return {
      seatInfo: definedOrNothing({
        seat: localizedDetail(pass, "event.seat"),
        row: localizedDetail(pass, "event.row"),
        section: localizedDetail(pass, "event.section"),
        gate: localizedDetail(pass, "event.gate"),
      }),
      reservationInfo: definedOrNothing({ confirmationCode }),
      ticketHolderName: detail(pass, "event.holder"),
      ticketNumber: detail(pass, "event.ticketNumber"),
      ticketType: localizedDetail(pass, "event.ticketType"),
    };
  },
};

/** Google refuses a venue without a name or without an address. */
function venueOf(pass: LocalizedPass): JsonObject | undefined {
  const name = localizedDetail(pass, "event.venue");
  const address = localizedDetail(pass, "event.address");
  return name === undefined || address === undefined ? undefined : { name, address };
}

const giftCard: GoogleKind = {
  identity: [],
  ofClass: (compiled, pass, image) => ({
    ...issuer(compiled, pass, image),
    merchantName: pass.main.organization,
    localizedMerchantName: translatedOnly(pass, organization),
    programLogo: image("logo") ?? image("icon"),
    wideProgramLogo: image("wideLogo"),
  }),
  ofObject: ({ template }, pass) => ({
    cardNumber: detail(pass, "giftCard.number") ?? accountIdOf(pass.main),
    pin: detail(pass, "giftCard.pin"),
    balance: toMoney(detail(pass, "giftCard.balance"), template.giftCard?.currency),
  }),
};

const flight: GoogleKind = {
  identity: [
    ...["transit.carrier", "transit.number", "transit.origin.code", "transit.destination.code"],
    "transit.departure",
  ],
  id: "transit.id",
  announced: [
    ...["flightStatus", "origin.airportIataCode", "origin.terminal", "origin.gate"],
    ...["destination.airportIataCode", "localScheduledDepartureDateTime"],
    ...["localEstimatedOrActualDepartureDateTime", "localEstimatedOrActualArrivalDateTime"],
    ...["localScheduledArrivalDateTime", "localGateClosingDateTime"],
  ],
  // Each group may board at another time.
  unannounced: ["localBoardingDateTime"],
  ofClass: (compiled, pass, image) => ({
    ...issuer(compiled, pass, image),
    flightHeader: definedOrNothing({
      carrier: definedOrNothing({
        ...carrierCode(detail(pass, "transit.carrier")),
        airlineName: localizedDetail(pass, "transit.carrierName"),
        airlineLogo: image("logo"),
      }),
      flightNumber: flightNumber(detail(pass, "transit.number"), detail(pass, "transit.carrier")),
    }),
    origin: definedOrNothing({
      airportIataCode: detail(pass, "transit.origin.code"),
      terminal: detail(pass, "transit.terminal"),
      gate: detail(pass, "transit.gate"),
    }),
    destination: definedOrNothing({ airportIataCode: detail(pass, "transit.destination.code") }),
    localScheduledDepartureDateTime: localTime(pass, "transit.departure"),
    localScheduledArrivalDateTime: localTime(pass, "transit.arrival"),
    localEstimatedOrActualDepartureDateTime: localTime(pass, "transit.estimatedDeparture"),
    localEstimatedOrActualArrivalDateTime: localTime(pass, "transit.estimatedArrival"),
    // Google has one time of boarding, the one that counts.
    localBoardingDateTime:
      localTime(pass, "transit.estimatedBoarding") ?? localTime(pass, "transit.boarding"),
    localGateClosingDateTime: localTime(pass, "transit.gateClosing"),
    flightStatus: flightStatus(detail(pass, "transit.status")),
  }),
  ofObject: (_, pass) => ({
    passengerName: detail(pass, "transit.passenger") ?? firstPrimary(pass.main),
    // Google requires `reservationInfo`, also without a confirmation code. It accepts an empty
    // object.
    reservationInfo: defined({
      confirmationCode: detail(pass, "transit.confirmation"),
      eticketNumber: detail(pass, "transit.ticketNumber"),
    }),
    boardingAndSeatingInfo: definedOrNothing({
      boardingGroup: detail(pass, "transit.group"),
      seatNumber: detail(pass, "transit.seat"),
      seatClass: detail(pass, "transit.class"),
    }),
  }),
};

/** Google makes a delay of the estimated departure itself. */
const FLIGHT_STATUSES: Readonly<Record<TripStatus, string>> = {
  scheduled: "SCHEDULED",
  delayed: "SCHEDULED",
  boarding: "SCHEDULED",
  active: "ACTIVE",
  landed: "LANDED",
  cancelled: "CANCELLED",
  redirected: "REDIRECTED",
  diverted: "DIVERTED",
};

function flightStatus(word: string | undefined): string | undefined {
  const status = tripStatus(word);
  return status === undefined ? undefined : FLIGHT_STATUSES[status];
}

/** Three letters are a code of ICAO; Google takes exactly one of the two. */
function carrierCode(carrier: string | undefined): JsonObject {
  const isIcao = carrier !== undefined && /^[A-Z]{3}$/.test(carrier);
  return isIcao ? { carrierIcaoCode: carrier } : { carrierIataCode: carrier };
}

const TRANSIT_TYPES = { train: "RAIL", bus: "BUS", boat: "FERRY", generic: "OTHER", air: "OTHER" };

const transit: GoogleKind = {
  identity: [],
  ofClass: (compiled, pass, image) => ({
    ...issuer(compiled, pass, image),
    transitType: TRANSIT_TYPES[compiled.template.transit?.type ?? "generic"],
    transitOperatorName: localizedDetail(pass, "transit.carrierName"),
    logo: image("logo") ?? image("icon"),
    wideLogo: image("wideLogo"),
  }),
  ofObject: ({ template }, pass) => {
    const seat = localizedDetail(pass, "transit.seat");
    const confirmationCode = detail(pass, "transit.confirmation");
    return {
      tripType: template.transit?.roundTrip === true ? "ROUND_TRIP" : "ONE_WAY",
      passengerNames: detail(pass, "transit.passenger"),
      ticketNumber: detail(pass, "transit.ticketNumber"),
      purchaseDetails: definedOrNothing({ confirmationCode }),
      ticketLeg: definedOrNothing({
        originName: localizedDetail(pass, "transit.origin.name"),
        originStationCode: detail(pass, "transit.origin.code"),
        destinationName: localizedDetail(pass, "transit.destination.name"),
        destinationStationCode: detail(pass, "transit.destination.code"),
        // Google knows one time of each: the holder needs the one that is expected.
        departureDateTime:
          placeTime(pass.main, "transit.estimatedDeparture") ??
          placeTime(pass.main, "transit.departure"),
        arrivalDateTime:
          placeTime(pass.main, "transit.estimatedArrival") ??
          placeTime(pass.main, "transit.arrival"),
        platform: detail(pass, "transit.platform"),
        carriage: detail(pass, "transit.carriage"),
        ticketSeat: seat === undefined ? undefined : { seat: detail(pass, "transit.seat") },
      }),
    };
  },
};

const generic: GoogleKind = {
  identity: [],
  ofClass: () => ({}),
  ofObject: (compiled, pass, image) => ({
    cardTitle: localized(pass, organization),
    header: localized(pass, (one) => firstPrimary(one) || compiled.template.name),
    subheader: localized(pass, ({ fields }) => fields.primary[0]?.label),
    genericType: "GENERIC_TYPE_UNSPECIFIED",
    hexBackgroundColor: compiled.template.colors?.background,
    logo: image("logo") ?? image("icon"),
    wideLogo: image("wideLogo"),
  }),
};

export const GOOGLE_KINDS: Readonly<Record<GoogleType, GoogleKind>> = {
  loyalty,
  offer,
  eventTicket,
  flight,
  transit,
  giftCard,
  generic,
};

type Typed = Pick<CompiledTemplate["template"], "kind" | "transit">;

export function googleType({ kind, transit }: Typed): GoogleType {
  if (kind === "coupon") return "offer";
  if (kind !== "boardingPass") return kind;
  return transit?.type === "air" ? "flight" : "transit";
}
