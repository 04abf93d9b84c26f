import { isObject } from "#kernel/json.ts";
import type { Finding, Place } from "#src/files/public.ts";
import {
  type CompiledLayout,
  type CompiledTemplate,
  type JsonObject,
  type LocalizedPass,
  type PlacedField,
  placedFields,
  SECTIONS,
  templateFinding,
  unreadableColors,
} from "#src/templates/language/public.ts";
import { classFindings } from "./classes/class.lint.ts";
import { buildGoogleClass, buildGoogleObject, type GoogleIdentity } from "./google.content.ts";
import {
  googleBalanceWithoutCurrency,
  googleClassFieldMissing,
  googleObjectFieldMissing,
  googleTooManyFields,
  googleTooManyTexts,
  googleVenueIncomplete,
} from "./google.findings.ts";
import { type GoogleType, googleType } from "./google.kinds.ts";
import { lintLayout } from "./layouts/layout.lint.ts";
import { lintTrip } from "./trips/trip.lint.ts";

/** A member that Google requires, as a path, and the part of the template that it is made from. */
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

export function lintTemplate(compiled: CompiledTemplate): Finding[] {
  return [
    ...fieldCounts(compiled),
    ...layoutColors(compiled),
    ...classFindings(compiled),
    ...lintTrip(compiled),
  ];
}

export function lintSample(compiled: CompiledTemplate, pass: LocalizedPass): Finding[] {
  const { images = {} } = compiled.template;
  const identity: GoogleIdentity = {
    issuerId: "0000000000000000000",
    imageUrl: (slot) =>
      images[slot] === undefined ? undefined : `https://example.com/${slot}.png`,
  };
  const found = contentFindings(
    compiled,
    buildGoogleClass(compiled, pass, identity).content,
    buildGoogleObject(compiled, pass, identity).content,
  );
  return [...found, ...lintLayout(compiled, pass)];
}

const FRONT_MAX = 9;
const TEXTS_MAX = 10;

/** Gives one finding for all fields that are left out. Its place is the first of these fields. */
function fieldCounts(compiled: CompiledTemplate): Finding[] {
  const all = placedFields(compiled, SECTIONS);
  const front = all.filter(({ section }) => section !== "back");
  const at = ({ section, index }: PlacedField) => compiled.at(["fields", section, index]);
  const beyondFront = front.slice(FRONT_MAX, FRONT_MAX + 1);
  if (beyondFront.length > 0) return beyondFront.map((each) => googleTooManyFields(at(each)));
  return all.slice(TEXTS_MAX, TEXTS_MAX + 1).map((each) => googleTooManyTexts(at(each)));
}

const HEX = /^#[0-9a-f]{6}$/i;
const COLORS = ["hexBackgroundColor"];

function layoutColors({ layouts: { googleClass, googleObject } }: CompiledTemplate): Finding[] {
  return [googleClass, googleObject].flatMap((layout) =>
    unreadableColors(layout, COLORS, HEX, "#1f2a44"),
  );
}

/** `ofClass` and `ofObject` are built from a pass with sample data. */
function contentFindings(
  compiled: CompiledTemplate,
  ofClass: JsonObject,
  ofObject: JsonObject,
): Finding[] {
  const type = googleType(compiled.template);
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
  // A template without an icon is already reported by the rules of Apple Wallet.
  if (from === "images") return compiled.template.images?.icon !== undefined;
  return !comesWithPasses(from, compiled);
}

/**
 * A value that comes from the data of a pass may be missing in the sample data only, so it is not
 * reported.
 */
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
