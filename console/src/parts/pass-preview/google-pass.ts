import { isJson, type Json, jsonAt, listAt, textAt } from "./json.ts";
import type { Preview, ShownBarcode } from "./shapes.ts";

/** A name is the same in all languages. */
export const GOOGLE = "Google Wallet";

export type GoogleText = {
  readonly id: string;
  readonly label: string;
  readonly text: string;
  readonly href?: string;
};

export type GooglePass = {
  /** Who issues it. */
  readonly issuer: string;
  readonly title: string;
  readonly subtitle: string;
  readonly background: string;
  readonly logo: string | undefined;
  readonly wideLogo: string | undefined;
  readonly hero: string | undefined;
  readonly rows: readonly (readonly GoogleText[])[];
  readonly barcode: ShownBarcode | undefined;
  readonly details: readonly GoogleText[];
  readonly state: string;
};

const FORMATS: Readonly<Record<string, ShownBarcode["format"]>> = {
  QR_CODE: "qr",
  PDF_417: "pdf417",
  AZTEC: "aztec",
  CODE_128: "code128",
};

const DEFAULT_BACKGROUND = "#4285f4";

/** Reads the class and the object as the phone does, in a language. */
export function readGooglePass(
  { type, class: ofClass, object }: NonNullable<Preview["google"]>,
  language: string,
): GooglePass {
  const local = (value: unknown): string => localized(value, language);
  /** A member that has its translations in another member beside it. */
  const either = (from: Json, name: string): string =>
    local(from[`localized${name.charAt(0).toUpperCase()}${name.slice(1)}`]) || textAt(from, name);
  const texts = textsOf(object, either);
  const uri = (...names: readonly string[]) => uriOf(ofClass, object, names);
  return {
    issuer: either(ofClass, "issuerName") || local(object.cardTitle),
    ...titles(type, ofClass, object, local, either),
    background:
      textAt(object, "hexBackgroundColor") ||
      textAt(ofClass, "hexBackgroundColor") ||
      DEFAULT_BACKGROUND,
    logo:
      uri("programLogo", "logo", "titleImage") ??
      uriAt(ofClass, "flightHeader", "carrier", "airlineLogo"),
    wideLogo: uri("wideProgramLogo", "wideLogo", "wideTitleImage"),
    hero: uri("heroImage"),
    rows: rowsOf(ofClass, texts),
    barcode: readBarcode(object.barcode),
    details: detailsOf(ofClass, object, texts, either, language),
    state: textAt(object, "state"),
  };
}

type Either = (from: Json, name: string) => string;
type Local = (value: unknown) => string;

function titles(type: string, ofClass: Json, object: Json, local: Local, either: Either) {
  const at = (...path: string[]) => textAt(ofClass, ...path);
  switch (type) {
    case "loyalty":
      return { title: at("programName"), subtitle: textAt(object, "accountName") };
    case "offer":
      return { title: either(ofClass, "title"), subtitle: "" };
    case "eventTicket":
      return { title: local(ofClass.eventName), subtitle: local(jsonAt(ofClass, "venue", "name")) };
    case "giftCard":
      return { title: either(ofClass, "merchantName"), subtitle: balanceOf(object) };
    case "flight":
      return {
        title: `${at("origin", "airportIataCode")} → ${at("destination", "airportIataCode")}`,
        subtitle: textAt(object, "passengerName"),
      };
    case "transit":
      return {
        title: [
          local(jsonAt(object, "ticketLeg", "originName")),
          local(jsonAt(object, "ticketLeg", "destinationName")),
        ]
          .filter((name) => name !== "")
          .join(" → "),
        subtitle: textAt(object, "passengerNames"),
      };
    default:
      return { title: local(object.header), subtitle: local(object.subheader) };
  }
}

function balanceOf(object: Json): string {
  const micros = textAt(object, "balance", "micros");
  if (micros === "") return "";
  const currency = textAt(object, "balance", "currencyCode");
  const amount = Number(micros) / 1e6;
  return new Intl.NumberFormat(undefined, { style: "currency", currency }).format(amount);
}

function localized(value: unknown, language: string): string {
  const translated = listAt(value, "translatedValues").find(
    (one) => textAt(one, "language") === language,
  );
  return textAt(translated, "value") || textAt(value, "defaultValue", "value");
}

function textsOf(object: Json, either: Either): GoogleText[] {
  return listAt(object, "textModulesData").map((module) => ({
    id: textAt(module, "id"),
    label: either(module, "header"),
    text: either(module, "body"),
  }));
}

function uriAt(from: Json, ...path: readonly string[]): string | undefined {
  return textAt(from, ...path, "sourceUri", "uri") || undefined;
}

function uriOf(ofClass: Json, object: Json, names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = uriAt(object, name) ?? uriAt(ofClass, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

const FIELD = /^object\.textModulesData\['(.+)'\]$/;

/** The front shows what the rows of the class name, and nothing else. */
function rowsOf(ofClass: Json, texts: readonly GoogleText[]): GoogleText[][] {
  const rows = listAt(ofClass, "classTemplateInfo", "cardTemplateOverride", "cardRowTemplateInfos");
  return rows
    .map((row) =>
      Object.values(row)
        .flatMap((items) => (isJson(items) ? Object.values(items) : []))
        .flatMap((item) => listAt(item, "firstValue", "fields"))
        .flatMap((field) => {
          const id = FIELD.exec(textAt(field, "fieldPath"))?.[1];
          return texts.find((text) => text.id === id) ?? [];
        }),
    )
    .filter((row) => row.length > 0);
}

function readBarcode(code: unknown): ShownBarcode | undefined {
  const format = FORMATS[textAt(code, "type")];
  if (format === undefined) return undefined;
  return { format, message: textAt(code, "value"), text: textAt(code, "alternateText") };
}

const TEXTS_MAX = 10;
/** No field has such a key. */
export const EXPIRY = "pass expiry";

function detailsOf(
  ofClass: Json,
  object: Json,
  texts: readonly GoogleText[],
  either: Either,
  language: string,
): GoogleText[] {
  const links = listAt(object, "linksModuleData", "uris").map((link) => ({
    id: textAt(link, "id"),
    label: "",
    text: either(link, "description") || textAt(link, "uri"),
    href: textAt(link, "uri"),
  }));
  const plain = ["details", "finePrint"].flatMap((name) => {
    const text = either(ofClass, name);
    return text === "" ? [] : [{ id: `class ${name}`, label: "", text }];
  });
  const end = textAt(object, "validTimeInterval", "end", "date");
  // Google shows the day that stands before the offset, in every time zone of a phone.
  const date = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" });
  const day = new Date(end.slice(0, "2027-05-01".length));
  const expiry = end === "" ? [] : [{ id: EXPIRY, label: "", text: date.format(day) }];
  return [...texts.slice(0, TEXTS_MAX), ...plain, ...links, ...expiry];
}
