import type { BarcodeFormat, Card, CardBarcode, CardField } from "./card.ts";
import { spansOfText } from "./card.ts";
import { at, dateText, imageUri, type Json, listAt, memberText, textOf } from "./google.values.ts";

const FORMATS: Readonly<Record<string, BarcodeFormat>> = {
  QR_CODE: "qrcode",
  PDF_417: "pdf417",
  AZTEC: "azteccode",
  CODE_128: "code128",
  CODE_39: "code39",
  CODABAR: "rationalizedCodabar",
  EAN_13: "ean13",
  EAN_8: "ean8",
  ITF_14: "interleaved2of5",
  DATA_MATRIX: "datamatrix",
  UPC_A: "upca",
};
const STATES: Readonly<Record<string, Card["status"]>> = {
  EXPIRED: "expired",
  COMPLETED: "completed",
  INACTIVE: "inactive",
};
const DEFAULT_COLOR = "#37474f";
const HEX = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i;
const ISO_START = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** An object together with its class, which is what an Android phone shows. */
export type GooglePair = { readonly type: string; readonly object: Json; readonly klass: Json };

type Place = { readonly key: string; readonly updatedAt: string; readonly now: number };

export function googleCard(pair: GooglePair, language: string, place: Place): Card {
  const { type, object, klass } = pair;
  const background = colorOf(object, klass);
  const foreground = isDark(background) ? "#ffffff" : "#202124";
  const title = titleOf(pair, language);
  const templated = templateRows(pair, language);
  const rows = templated.length === 0 ? [usualFields(pair, language)] : templated;
  const front = new Set(rows.flat().map(({ key }) => key));
  return {
    key: place.key,
    wallet: "google",
    kind: type,
    id: String(object.id),
    organization: memberText(klass, "issuerName", language) || textOf(object.cardTitle, language),
    description: title,
    logoText: memberText(klass, "issuerName", language) || textOf(object.cardTitle, language),
    colors: { background, foreground, label: foreground },
    images: imagesOf(pair),
    header: [],
    primary: [{ key: "title", label: subtitleOf(pair, language), value: title }],
    secondary: [],
    auxiliary: [],
    rows,
    back: backOf(pair, language, front),
    transit: undefined,
    barcode: barcodeOf(object),
    status: statusOf(object, place.now),
    vouchedBy: `Issuer ${String(object.id).split(".")[0]}`,
    updatedAt: place.updatedAt,
  };
}

function colorOf(object: Json, klass: Json): string {
  const color = String(object.hexBackgroundColor ?? klass.hexBackgroundColor ?? "");
  return HEX.test(color) ? color : DEFAULT_COLOR;
}

function isDark(color: string): boolean {
  const [, red = "0", green = "0", blue = "0"] = HEX.exec(color) ?? [];
  const part = (hex: string) => Number.parseInt(hex, 16);
  return part(red) * 0.299 + part(green) * 0.587 + part(blue) * 0.114 < 150;
}

function titleOf({ type, object, klass }: GooglePair, language: string): string {
  switch (type) {
    case "loyalty":
      return memberText(klass, "programName", language);
    case "offer":
      return memberText(klass, "title", language);
    case "eventTicket":
      return memberText(klass, "eventName", language);
    case "giftCard":
      return memberText(klass, "merchantName", language) || "Gift card";
    case "flight":
      return `${airport(klass, "origin")} → ${airport(klass, "destination")}`;
    case "transit":
      return legOf(object, language);
    default:
      return memberText(object, "header", language);
  }
}

function airport(klass: Json, end: string): string {
  return String(at(klass, end, "airportIataCode") ?? "");
}

function legOf(object: Json, language: string): string {
  const leg = object.ticketLeg ?? listAt(object, "ticketLegs")[0];
  const ends = ["originName", "destinationName"].map((name) => memberText(leg, name, language));
  return ends.filter((end) => end !== "").join(" → ") || "Ticket";
}

function subtitleOf({ type, object, klass }: GooglePair, language: string): string {
  if (type === "generic") return memberText(object, "subheader", language);
  if (type === "eventTicket") return textOf(at(klass, "venue", "name"), language);
  if (type === "offer") return memberText(klass, "provider", language);
  return "";
}

function imagesOf({ object, klass }: GooglePair): Record<string, string> {
  const logo =
    imageUri(object.logo) ??
    imageUri(klass.programLogo) ??
    imageUri(klass.titleImage) ??
    imageUri(klass.logo) ??
    imageUri(at(klass, "flightHeader", "carrier", "airlineLogo"));
  const hero = imageUri(object.heroImage) ?? imageUri(klass.heroImage);
  return {
    ...(logo === undefined ? {} : { logo }),
    ...(hero === undefined ? {} : { hero }),
  };
}

/** The rows that the template of the class puts on the front. */
function templateRows(pair: GooglePair, language: string): CardField[][] {
  const path = ["classTemplateInfo", "cardTemplateOverride", "cardRowTemplateInfos"];
  return listAt(pair.klass, ...path)
    .map((row) => {
      const items = ["oneItem", "twoItems", "threeItems"].flatMap((shape) =>
        ["item", "startItem", "middleItem", "endItem"].map((place) => at(row, shape, place)),
      );
      return items
        .map((item) => at(listAt(item, "firstValue", "fields")[0], "fieldPath"))
        .map((fieldPath) => fieldByPath(pair, String(fieldPath), language))
        .filter((field) => field !== undefined && field.value !== "") as CardField[];
    })
    .filter((row) => row.length > 0);
}

/** `object.textModulesData['points']` or `class.eventName`. */
function fieldByPath(pair: GooglePair, path: string, language: string): CardField | undefined {
  const [, root, rest = ""] = /^(object|class)\.(.+)$/.exec(path) ?? [];
  if (root === undefined) return undefined;
  const holder = root === "object" ? pair.object : pair.klass;
  const [, id] = /^textModulesData\[['"]([\w-]+)['"]\]/.exec(rest) ?? [];
  if (id !== undefined) {
    const module = listAt(holder, "textModulesData").find((entry) => entry.id === id);
    return module === undefined ? undefined : moduleField(module, language);
  }
  const names = rest.split(".");
  const last = names.at(-1) ?? "";
  const inner = at(holder, ...names.slice(0, -1));
  return {
    key: path,
    label: words(last),
    value: readable(memberText(inner, last, language), language),
  };
}

function moduleField(module: Json, language: string): CardField {
  const value = memberText(module, "body", language);
  return {
    key: String(module.id ?? module.header),
    label: memberText(module, "header", language),
    value: readable(value, language),
  };
}

function readable(value: string, language: string): string {
  return ISO_START.test(value) ? dateText(value, language) : value;
}

/** What Google shows where the class has no template of its own. */
function usualFields({ type, object, klass }: GooglePair, language: string): CardField[] {
  const field = (key: string, label: string, value: string): CardField[] =>
    value === "" ? [] : [{ key, label, value: readable(value, language) }];
  switch (type) {
    case "loyalty":
      return [
        ...field(
          "points",
          memberText(object.loyaltyPoints, "label", language) || "Points",
          textOf(at(object, "loyaltyPoints", "balance"), language),
        ),
        ...field("accountName", "Member", textOf(object.accountName, language)),
      ];
    case "giftCard":
      return [
        ...field("balance", "Balance", textOf(object.balance, language)),
        ...field("cardNumber", "Card number", textOf(object.cardNumber, language)),
      ];
    case "eventTicket":
      return [
        ...field("start", "Date", textOf(at(klass, "dateTime", "start"), language)),
        ...field("seat", "Seat", textOf(at(object, "seatInfo", "seat"), language)),
      ];
    case "flight":
      return [
        ...field("passengerName", "Passenger", textOf(object.passengerName, language)),
        ...field(
          "departure",
          "Departure",
          textOf(klass.localEstimatedOrActualDepartureDateTime, language) ||
            textOf(klass.localScheduledDepartureDateTime, language),
        ),
      ];
    case "transit":
      return [
        ...field(
          "departure",
          "Departure",
          textOf(at(object, "ticketLeg", "departureDateTime"), language),
        ),
      ];
    default:
      return [];
  }
}

function backOf(pair: GooglePair, language: string, front: ReadonlySet<string>): CardField[] {
  const { object, klass } = pair;
  const messages = [...listAt(object, "messages"), ...listAt(klass, "messages")]
    .toReversed()
    .map((message, index) => ({
      key: `message-${index}`,
      label: memberText(message, "header", language) || "Message",
      value: memberText(message, "body", language),
    }));
  const modules = [...listAt(object, "textModulesData"), ...listAt(klass, "textModulesData")]
    .map((module) => moduleField(module, language))
    .filter(({ key }) => !front.has(key));
  const links = [
    ...listAt(object, "linksModuleData", "uris"),
    ...listAt(klass, "linksModuleData", "uris"),
  ].map((link, index): CardField => {
    const href = String(link.uri ?? "");
    const text = memberText(link, "description", language) || href;
    const isSafe = /^(https?:\/\/|mailto:|tel:)/i.test(href);
    const span = isSafe ? { text, href } : { text };
    return { key: `link-${index}`, label: "", value: text, spans: [span] };
  });
  const texts = [...messages, ...modules].map((field) => ({
    ...field,
    spans: spansOfText(field.value),
  }));
  return [...texts, ...links];
}

function barcodeOf({ barcode }: Json): CardBarcode | undefined {
  const format = FORMATS[String(at(barcode, "type"))];
  const message = at(barcode, "value");
  if (format === undefined || typeof message !== "string") return undefined;
  return { format, message, text: String(at(barcode, "alternateText") ?? "") };
}

function statusOf(object: Json, now: number): Card["status"] {
  const state = STATES[String(object.state)];
  if (state !== undefined) return state;
  const end = Date.parse(String(at(object, "validTimeInterval", "end", "date")));
  return end <= now ? "expired" : "active";
}

/** `ticketHolderName` as a label: “Ticket holder name”. */
function words(name: string): string {
  const spaced = name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
