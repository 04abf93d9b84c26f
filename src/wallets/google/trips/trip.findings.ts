import { defineFinding, type FindingKind } from "#src/files/public.ts";

/**
 * The codes of these findings are a published contract: they must not change. None is an error, because
 * templates that were published before must stay publishable, and Apple Wallet may take them.
 */

export const googleFlightCarrier = defineFinding<{ readonly carrier: string | undefined }>({
  code: "google.flight-carrier",
  severity: "warning",
  summary: "Google Wallet refuses a flight without the code of its carrier.",
  hint: "Give 'transit.carrier' the two characters of IATA, as in LX, or the three letters of ICAO, as in SWR.",
  message: ({ carrier }) =>
    carrier === undefined
      ? "Google Wallet refuses a flight without the code of its carrier; a name is not enough."
      : `'${carrier}' is no code of a carrier, and Google Wallet refuses the flight.`,
});

export const googleFlightNumber = defineFinding<{ readonly number: string }>({
  code: "google.flight-number",
  severity: "warning",
  summary:
    "Google Wallet refuses a number of a flight with other characters than digits, and Apple Wallet shows the classic boarding pass.",
  hint: "Use the digits alone, as in 15; the code of the carrier belongs to 'transit.carrier'.",
  message: ({ number }) =>
    `'${number}' is no number of a flight: Google Wallet refuses it, and Apple Wallet shows the classic boarding pass.`,
});

export const googleAirportCode = defineFinding<{ readonly code: string }>({
  code: "google.airport-code",
  severity: "warning",
  summary: "Google Wallet refuses a flight whose airports have no code of IATA.",
  hint: "Use the three capital letters of IATA, as in ZRH.",
  message: ({ code }) =>
    `'${code}' is no code of an airport, and Google Wallet refuses the flight.`,
});

export const googleLegIncomplete = defineFinding<{ readonly missing: string }>({
  code: "google.leg-incomplete",
  severity: "warning",
  summary: "Google Wallet refuses a journey that does not say where it begins.",
  hint: "Give 'transit.origin' a 'name' where the destination has one, and a 'code' where it has one.",
  message: ({ missing }) => `Google Wallet refuses the journey without ${missing}.`,
});

export const googleLegNoDeparture = defineFinding({
  code: "google.leg-no-departure",
  severity: "warning",
  summary:
    "Google Wallet refuses a journey that has neither a departure nor an end of its validity.",
  hint: "Give 'transit' a 'departure', or the template an 'expiration', unless each pass is created with an 'expirationDate'.",
});

export const googleTimeIdentifies = defineFinding<{ readonly time: string; readonly id: string }>({
  code: "google.time-identifies",
  severity: "info",
  summary:
    "Another time makes another event or flight at Google Wallet, which notifies no holder: no id says that it is the same.",
  hint: "Give 'event' or 'transit' an 'id' that stays, such as the number by which you know the event.",
  message: ({ time, id }) =>
    `Google Wallet takes a pass with another '${time}' for another event or flight, and notifies no holder: no '${id}' says that it is the same.`,
});

export const tripFindings: readonly FindingKind[] = [
  googleFlightCarrier,
  googleFlightNumber,
  googleAirportCode,
  googleLegIncomplete,
  googleLegNoDeparture,
  googleTimeIdentifies,
];
