import type { Finding } from "#src/files/public.ts";
import type { CompiledTemplate, TemplateValue } from "#src/templates/language/public.ts";
import { flightNumber } from "../../trips/flight.values.ts";
import { googleType } from "../google.kinds.ts";
import {
  googleAirportCode,
  googleFlightCarrier,
  googleFlightNumber,
  googleLegIncomplete,
  googleLegNoDeparture,
  googleTimeIdentifies,
} from "./trip.findings.ts";

/** What Google requires of events, flights and journeys, beyond members that must be there. */
export function lintTrip(compiled: CompiledTemplate): Finding[] {
  const { kind, template } = compiled;
  if (kind === "eventTicket") return identityFindings(compiled, "event.start", "event.id");
  if (template.transit === undefined) return [];
  const type = googleType(template);
  if (type === "transit") return legFindings(compiled);
  if (type !== "flight") return [];
  const unidentified = identityFindings(compiled, "transit.departure", "transit.id");
  return [...flightFindings(compiled), ...unidentified];
}

/** Events are distinguished by a time only if it differs between passes. */
function identityFindings(
  { details, perPass }: CompiledTemplate,
  time: string,
  id: string,
): Finding[] {
  const value = details.get(time);
  if (value === undefined || !perPass.has(time) || details.has(id)) return [];
  return [googleTimeIdentifies(value, { time, id })];
}

const CARRIER = /^([A-Z0-9]{2}|[A-Z]{3})$/;
const AIRPORT = /^[A-Z]{3}$/;
const DIGITS = /^\d+$/;

function flightFindings(compiled: CompiledTemplate): Finding[] {
  const { details, layouts } = compiled;
  const isLaidOut = (member: string) => Object.hasOwn(layouts.googleClass?.source ?? {}, member);
  const airports = (["origin", "destination"] as const).flatMap((end) => {
    const code = details.get(`transit.${end}.code`);
    const written = literal(code);
    if (code === undefined || written === undefined || isLaidOut(end)) return [];
    return AIRPORT.test(written) ? [] : [googleAirportCode(code, { code: written })];
  });
  return isLaidOut("flightHeader") ? airports : [...headerFindings(compiled), ...airports];
}

function headerFindings({ details, template, keyAt }: CompiledTemplate): Finding[] {
  const [carrier, number] = [details.get("transit.carrier"), details.get("transit.number")];
  const code = literal(carrier);
  const findings: Finding[] = [];
  if (carrier !== undefined && code !== undefined && !CARRIER.test(code)) {
    findings.push(googleFlightCarrier(carrier, { carrier: code }));
  }
  // Without a name and a logo, too, the class lacks the whole member, which has a finding of its own.
  const isCarried = details.has("transit.carrierName") || template.images?.logo !== undefined;
  if (carrier === undefined && isCarried) {
    findings.push(googleFlightCarrier(keyAt(["transit"]), { carrier: undefined }));
  }
  const written = literal(number);
  if (number !== undefined && written !== undefined && !isFlightNumber(written, carrier)) {
    findings.push(googleFlightNumber(number, { number: written }));
  }
  return findings;
}

/** Passes may bring the code that the number begins with. */
function isFlightNumber(number: string, carrier: TemplateValue | undefined): boolean {
  if (carrier !== undefined && !carrier.text.isLiteral) return /\d$/.test(number);
  return DIGITS.test(flightNumber(number, literal(carrier)) ?? "");
}

function legFindings({ details, template, layouts, keyAt }: CompiledTemplate): Finding[] {
  const isLaidOut = (member: string) => Object.hasOwn(layouts.googleObject?.source ?? {}, member);
  if (isLaidOut("ticketLeg") || isLaidOut("ticketLegs")) return [];
  const has = (end: string, member: string) => details.has(`transit.${end}.${member}`);
  const place = keyAt(["transit"]);
  const [named, coded] = [has("origin", "name"), has("origin", "code")];
  const missing: string[] = [];
  if (!named && !coded) missing.push("'transit.origin', by its name or code");
  else {
    if (!named && has("destination", "name")) missing.push("'transit.origin.name'");
    if (!coded && has("destination", "code")) missing.push("'transit.origin.code'");
  }
  const hasTime =
    details.has("transit.departure") ||
    template.expiration !== undefined ||
    isLaidOut("validTimeInterval");
  return [
    ...missing.map((each) => googleLegIncomplete(place, { missing: each })),
    ...(hasTime ? [] : [googleLegNoDeparture(place)]),
  ];
}

/** What passes bring is not known here. */
function literal(value: TemplateValue | undefined): string | undefined {
  return value?.text.isLiteral === true ? value.text.source : undefined;
}
