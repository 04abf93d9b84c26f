import Type from "typebox";
import { closed, currency, optionalText } from "./field.ts";

/**
 * Blocks hold what a kind of pass has in addition to its fields. Wallets show it in special places.
 */

export const TRANSIT_TYPES = ["air", "train", "bus", "boat", "generic"] as const;
export type TransitType = (typeof TRANSIT_TYPES)[number];

export const EVENT_TYPES = [
  ...["generic", "livePerformance", "movie", "sports", "conference", "convention"],
  ...["workshop", "socialGathering"],
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** The state of a journey, in words that templates and callers use. */
export const TRIP_STATUSES = [
  ...(["scheduled", "delayed", "boarding", "active", "landed", "cancelled"] as const),
  ...(["redirected", "diverted"] as const),
] as const;
export type TripStatus = (typeof TRIP_STATUSES)[number];

/** The status that a text names, in capitals or not; undefined for any other text. */
export function tripStatus(text: string | undefined): TripStatus | undefined {
  const word = text?.trim().toLowerCase();
  return TRIP_STATUSES.find((status) => status === word);
}

/** For loyalty cards: needed only if the fields do not show who the member is. */
export const Member = Type.Object(
  {
    id: optionalText("The number of the member.", "{{ identifiers['loyalty.number'] }}"),
    name: optionalText("The name of the member.", "{{ data.firstName }}"),
  },
  {
    ...closed,
    description: "Of kind `loyalty`: who the member is.",
    examples: [{ name: "{{ data.firstName }}" }],
  },
);

export const Offer = Type.Object(
  {
    title: optionalText("What is offered, in a few words.", "{{ data.percent }} % off"),
    details: optionalText("What is offered, in a sentence or two.", "With any hot drink."),
    finePrint: optionalText("The conditions.", "Once per person"),
    redemption: Type.Optional(
      Type.Enum(["instore", "online", "both"], {
        default: "both",
        description: "Where the coupon is taken.",
        examples: ["instore"],
      }),
    ),
  },
  {
    ...closed,
    description: "Of kind `coupon`: what is offered.",
    examples: [{ title: "{{ data.percent }} % off" }],
  },
);

/** For gift cards: `balance` is a number in units of `currency`. */
export const GiftCard = Type.Object(
  {
    number: optionalText("The number of the card.", "{{ identifiers['gift.number'] }}"),
    pin: optionalText("The PIN of the card.", "{{ data.pin }}"),
    balance: optionalText("What is left, as a number.", "{{ privileges.balance.value }}"),
    currency: currency("Of the balance (ISO 4217)."),
  },
  {
    ...closed,
    description: "Of kind `giftCard`: the card and what is left on it.",
    examples: [{ balance: "{{ privileges.balance.value }}", currency: "EUR" }],
  },
);

const team = (description: string, name: string, abbreviation: string) =>
  Type.Optional(
    Type.Object(
      {
        name: optionalText("Its name.", name),
        abbreviation: optionalText("Its name in a few letters.", abbreviation),
      },
      { ...closed, title: "Team", description, examples: [{ name, abbreviation }] },
    ),
  );

/** For event tickets: times are ISO 8601. */
export const Event = Type.Object(
  {
    type: Type.Optional(
      Type.Enum([...EVENT_TYPES], {
        description: "What kind of event it is.",
        examples: ["livePerformance"],
      }),
    ),
    id: optionalText(
      "The identifier by which you know the event. With it, another name, venue or time is a change of the event, of which Google notifies the holders; without it, it is another event.",
      "{{ data.eventId }}",
    ),
    name: optionalText("The name of the event.", "{{ data.event }}"),
    venue: optionalText("Where it is.", "Lune Hall"),
    room: optionalText("The hall or room of the venue.", "Main hall"),
    region: optionalText("The town or region of the venue.", "Zurich"),
    address: optionalText("The address of the venue.", "1 Moon Street, Zurich"),
    timeZone: optionalText(
      "The time zone of the venue, by its IANA name; without it that of the tenant.",
      "Europe/Zurich",
    ),
    doors: optionalText("When the doors open (ISO 8601).", "{{ data.doors }}"),
    start: optionalText("When it begins (ISO 8601).", "2026-05-01T20:00"),
    end: optionalText("When it ends (ISO 8601).", "{{ data.end }}"),
    section: optionalText("The section of the seat.", "{{ data.section }}"),
    row: optionalText("The row of the seat.", "{{ data.row }}"),
    seat: optionalText("The seat.", "{{ data.seat }}"),
    gate: optionalText("The gate or entrance.", "{{ data.gate }}"),
    performers: optionalText(
      "Who performs; several are separated by `;`.",
      "{{ data.performers | join: '; ' }}",
    ),
    home: team("Of a match: the team at home.", "FC Lune", "LUN"),
    away: team("Of a match: its guests.", "SC Soleil", "SOL"),
    holder: optionalText("Whose ticket it is.", "{{ data.holder }}"),
    ticketNumber: optionalText("The number of the ticket.", "{{ identifiers['ticket.number'] }}"),
    ticketType: optionalText("What kind of ticket it is.", "Balcony"),
    confirmation: optionalText("The code of the order.", "{{ data.order }}"),
  },
  {
    ...closed,
    description: "Of kind `eventTicket`: the event and the seat.",
    examples: [{ name: "{{ data.event }}", start: "{{ data.start }}" }],
  },
);

const place = (description: string, code: string, name: string) =>
  Type.Optional(
    Type.Object(
      {
        code: optionalText("The code of the station; for flights that of IATA.", code),
        name: optionalText("Its name.", name),
        city: optionalText("The city it belongs to.", name),
        timeZone: optionalText(
          "The time zone of its clocks, by its IANA name; without it that of the tenant.",
          "Europe/Zurich",
        ),
      },
      { ...closed, title: "Place", description, examples: [{ code, name }] },
    ),
  );

/**
 * For boarding passes: times are ISO 8601. For flights, `carrier` and the `code` of places are IATA
 * codes.
 */
export const Transit = Type.Object(
  {
    type: Type.Enum([...TRANSIT_TYPES], {
      description: "By what one travels.",
      examples: ["air"],
    }),
    id: optionalText(
      "The identifier by which you know the journey. With it, another departure is a change of the flight, of which Google notifies the passengers; without it, it is another flight.",
      "{{ data.journeyId }}",
    ),
    carrier: optionalText(
      "The code of the carrier; for flights that of IATA, or for Google of ICAO.",
      "LX",
    ),
    carrierName: optionalText("The name of the carrier.", "Lune Air"),
    number: optionalText(
      "The number of the flight, train or bus; of `LX 15`, wallets get the digits if `carrier` is `LX`.",
      "{{ data.flight }}",
    ),
    origin: place("From where.", "ZRH", "Zurich"),
    destination: place("To where.", "CDG", "Paris"),
    departure: optionalText("When it leaves (ISO 8601).", "{{ data.departure }}"),
    arrival: optionalText("When it arrives (ISO 8601).", "{{ data.arrival }}"),
    boarding: optionalText("When boarding begins (ISO 8601).", "{{ data.boarding }}"),
    estimatedDeparture: optionalText(
      "When it will leave, or left, if that is not as planned (ISO 8601).",
      "{{ data.estimatedDeparture }}",
    ),
    estimatedArrival: optionalText(
      "When it will arrive, or arrived, if that is not as planned (ISO 8601).",
      "{{ data.estimatedArrival }}",
    ),
    estimatedBoarding: optionalText(
      "When boarding will begin if that is not as planned (ISO 8601).",
      "{{ data.estimatedBoarding }}",
    ),
    gateClosing: optionalText(
      "When the gate of a flight closes (ISO 8601), on Google.",
      "{{ data.gateClosing }}",
    ),
    status: optionalText(
      `The state of the journey: ${TRIP_STATUSES.join(", ")}.`,
      "{{ data.status | default: 'scheduled' }}",
    ),
    statusText: optionalText(
      "The same in words for the passenger, on Apple. Without it every passenger reads a word in English for `status`; `{{ data.status | t }}` translates the status by `locales/*.yml`.",
      "{{ data.status | default: 'scheduled' | t }}",
    ),
    statusReason: optionalText("Why, in a few words, on Apple.", "{{ data.statusReason }}"),
    terminal: optionalText("The terminal.", "{{ data.terminal }}"),
    gate: optionalText("The gate.", "{{ data.gate }}"),
    platform: optionalText("The platform.", "{{ data.platform }}"),
    carriage: optionalText("The carriage.", "{{ data.carriage }}"),
    seat: optionalText("The seat.", "{{ data.seat }}"),
    class: optionalText("The class.", "Economy"),
    group: optionalText("The group in which one boards.", "{{ data.group }}"),
    passenger: optionalText("Who travels.", "{{ data.passenger }}"),
    confirmation: optionalText("The code of the booking.", "{{ data.booking }}"),
    ticketNumber: optionalText("The number of the ticket.", "{{ identifiers['ticket.number'] }}"),
    roundTrip: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether the journey is there and back.",
        examples: [true],
      }),
    ),
  },
  {
    ...closed,
    description: "Of kind `boardingPass`, which needs it: the journey.",
    examples: [{ type: "train", number: "{{ data.train }}" }],
  },
);

export const BLOCKS = ["member", "offer", "giftCard", "event", "transit"] as const;
export type Block = (typeof BLOCKS)[number];
