import type { Finding, Place } from "#src/tenants/public.ts";
import { type GoogleType, googleType } from "./google-kinds.ts";
import type { CompiledLayout } from "./layout.compile.ts";
import { isObject, type JsonObject } from "./layout.merge.ts";
import {
  googleBalanceWithoutCurrency,
  googleClassFieldMissing,
  googleObjectFieldMissing,
  googleVenueIncomplete,
} from "./lint.findings.ts";
import type { CompiledTemplate } from "./template.compile.ts";
import { templateFinding } from "./template.findings.ts";

/** A member Google insists on, as a path, and what of a template it is made of. */
type Required = { readonly member: string; readonly from?: string };

const ISSUER: Required = { member: "issuerName", from: "organization" };

const OF_CLASS: Readonly<Record<GoogleType, readonly Required[]>> = {
  loyalty: [ISSUER, { member: "programName" }, { member: "programLogo", from: "images" }],
  offer: [
    ISSUER,
    { member: "provider" },
    { member: "title", from: "offer.title" },
    { member: "redemptionChannel" },
  ],
  eventTicket: [ISSUER, { member: "eventName", from: "event.name" }],
  giftCard: [ISSUER],
  flight: [
    ISSUER,
    { member: "flightHeader.carrier", from: "transit.carrier" },
    { member: "flightHeader.flightNumber", from: "transit.number" },
    { member: "origin.airportIataCode", from: "transit.origin.code" },
    { member: "destination.airportIataCode", from: "transit.destination.code" },
    { member: "localScheduledDepartureDateTime", from: "transit.departure" },
  ],
  transit: [ISSUER, { member: "logo", from: "images" }, { member: "transitType" }],
  generic: [],
};

const OF_OBJECT: Readonly<Record<GoogleType, readonly Required[]>> = {
  loyalty: [],
  offer: [],
  eventTicket: [],
  giftCard: [{ member: "cardNumber", from: "giftCard.number" }],
  flight: [{ member: "passengerName", from: "transit.passenger" }, { member: "reservationInfo" }],
  transit: [{ member: "tripType" }],
  generic: [{ member: "cardTitle", from: "organization" }, { member: "header" }],
};

/** Class and object are those of a pass with sample data. */
export function googleFindings(
  compiled: CompiledTemplate,
  ofClass: JsonObject,
  ofObject: JsonObject,
): Finding[] {
  const type = googleType(compiled);
  const { googleClass, googleObject } = compiled.layouts;
  return [
    ...OF_CLASS[type]
      .filter((required) => isMissing(required, ofClass, compiled))
      .map((required) =>
        googleClassFieldMissing(placeOf(required, googleClass, compiled), adviceOf(required)),
      ),
    ...OF_OBJECT[type]
      .filter((required) => isMissing(required, ofObject, compiled))
      .map((required) =>
        googleObjectFieldMissing(placeOf(required, googleObject, compiled), adviceOf(required)),
      ),
    ...fixedMembers(googleClass, ["id"]),
    ...fixedMembers(googleObject, ["id", "classId"]),
    ...eventFindings(compiled),
    ...giftCardFindings(compiled),
  ];
}

function isMissing({ member, from }: Required, content: JsonObject, compiled: CompiledTemplate) {
  const found = member
    .split(".")
    .reduce<unknown>((node, name) => (isObject(node) ? node[name] : undefined), content);
  if (found !== undefined && found !== null && found !== "") return false;
  // Without an icon there is no pass at all, which is told elsewhere.
  if (from === "images") return compiled.template.images?.icon !== undefined;
  return !comesWithPasses(from, compiled);
}

/** Sample data may be without it where the data of real passes is not. */
function comesWithPasses(from: string | undefined, compiled: CompiledTemplate): boolean {
  if (from === undefined) return false;
  const detail = from === "organization" ? compiled.organization : compiled.details.get(from);
  if (detail !== undefined) return !detail.text.isLiteral;
  return from === "transit.passenger" && compiled.fields.primary[0]?.value.text.isLiteral === false;
}

function placeOf(
  { member, from }: Required,
  layout: CompiledLayout | undefined,
  compiled: CompiledTemplate,
): Place {
  const [first = ""] = member.split(".");
  if (layout !== undefined && Object.hasOwn(layout.source, first)) return layout.keyAt([first]);
  return compiled.keyAt(from === undefined ? ["kind"] : from.split("."));
}

function adviceOf({ member, from }: Required) {
  const advice = from === undefined || from === "images" ? undefined : `Give '${from}' a value.`;
  return { member, advice };
}

function fixedMembers(layout: CompiledLayout | undefined, names: readonly string[]): Finding[] {
  if (layout === undefined) return [];
  return names
    .filter((name) => Object.hasOwn(layout.source, name))
    .map((name) =>
      templateFinding("layout-fixed-member", layout.keyAt([name]), `a layout cannot set '${name}'`),
    );
}

function eventFindings({ details, keyAt }: CompiledTemplate): Finding[] {
  const [venue, address] = [details.has("event.venue"), details.has("event.address")];
  if (venue === address) return [];
  return [googleVenueIncomplete(keyAt(["event", venue ? "venue" : "address"]))];
}

function giftCardFindings({ template: { giftCard }, keyAt }: CompiledTemplate): Finding[] {
  if (giftCard?.balance === undefined || giftCard.currency !== undefined) return [];
  return [googleBalanceWithoutCurrency(keyAt(["giftCard", "balance"]))];
}
