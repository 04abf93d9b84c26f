import { isKnownZone, parseDate, zonedTime } from "./liquid/format.ts";

/**
 * The times of an event or a journey. Each is read on the clock of its place, and shown on it: a flight that
 * leaves New York at 18:30 leaves at 18:30 in every time zone of a tenant.
 */

const ARRIVAL = /^transit\.\w*arrival$/i;

/** The detail that names the time zone in which a detail that is a time is meant. */
function zoneDetail(detail: string): string {
  if (detail.startsWith("event.")) return "event.timeZone";
  return ARRIVAL.test(detail) ? "transit.destination.timeZone" : "transit.origin.timeZone";
}

/** The parts of a rendered pass that say when something is. */
type Timed = { readonly details: ReadonlyMap<string, string>; readonly timeZone: string };

/** The details that name the zone in which the end of a pass is meant: of the venue, or of where the journey ends. */
export const END_ZONES: readonly string[] = ["event.timeZone", "transit.destination.timeZone"];

export function endZone({ details, timeZone }: Timed): string {
  const named = END_ZONES.map((name) => details.get(name));
  return named.find((zone) => zone !== undefined && isKnownZone(zone)) ?? timeZone;
}

/** The zone that the pass names for a time; undefined if it names none, or one that does not exist. */
function namedZone({ details }: Timed, detail: string): string | undefined {
  const zone = details.get(zoneDetail(detail));
  return zone !== undefined && isKnownZone(zone) ? zone : undefined;
}

/** A detail that is a time, as ISO 8601 in UTC. */
export function moment(pass: Timed, detail: string): string | undefined {
  const text = pass.details.get(detail);
  if (text === undefined) return undefined;
  return parseDate(text, namedZone(pass, detail) ?? pass.timeZone)?.toISOString();
}

const WRITTEN = /^(.{10})[T ](\d{2}:\d{2})(:\d{2})?(?:\.\d+)?([+-]\d{2}):?(\d{2})?$/;

/** Programs write UTC so as well: as little as `Z` does it say where the place is. */
const UTC = /[+-]00:?(?:00)?$/;

/**
 * A detail that is a time, as the clock at its place shows it, with the offset of that clock:
 * `2027-05-01T20:00:00+02:00`. Where the pass names no zone, a text with an offset is taken as that of the
 * place, and any other text, also one in UTC, as one of the tenant's zone.
 */
export function placeTime(pass: Timed, detail: string): string | undefined {
  const text = pass.details.get(detail);
  if (text === undefined) return undefined;
  const named = namedZone(pass, detail);
  const zone = named ?? pass.timeZone;
  const time = parseDate(text, zone);
  if (time === undefined) return undefined;
  const written = named === undefined && !UTC.test(text) ? WRITTEN.exec(text) : null;
  if (written === null) return zonedTime(time, zone);
  const [, day, minute, second = ":00", hours, minutes = "00"] = written;
  return `${day}T${minute}${second}${hours}:${minutes}`;
}
