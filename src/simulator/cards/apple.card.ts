import { type Bundle, type PassJson, stringsFor, styleOf } from "../pkpass/bundle.ts";
import { enrolmentOf } from "../pkpass/enrolment.ts";
import type { Strings } from "../pkpass/strings.ts";
import {
  type BarcodeFormat,
  type Card,
  type CardBarcode,
  type CardField,
  spansOfMarkup,
  spansOfText,
} from "./card.ts";
import { type AppleField, formatField } from "./value.format.ts";

const SECTIONS = ["header", "primary", "secondary", "auxiliary", "back"] as const;
type Section = (typeof SECTIONS)[number];

const FORMATS: Readonly<Record<string, BarcodeFormat>> = {
  PKBarcodeFormatQR: "qrcode",
  PKBarcodeFormatPDF417: "pdf417",
  PKBarcodeFormatAztec: "azteccode",
  PKBarcodeFormatCode128: "code128",
  PKBarcodeFormatCode39: "code39",
  PKBarcodeFormatCodabar: "rationalizedCodabar",
  PKBarcodeFormatEAN13: "ean13",
  PKBarcodeFormatI2of5: "interleaved2of5",
};
const ALIGNMENTS: Readonly<Record<string, "left" | "center" | "right">> = {
  PKTextAlignmentLeft: "left",
  PKTextAlignmentCenter: "center",
  PKTextAlignmentRight: "right",
};
/** How many fields of a section Wallet shows; it drops the others without a word. */
const HEADER_MAX = 3;
const ROW_MAX = 4;
const PRIMARY_MAX: Readonly<Record<string, number>> = { boardingPass: 2, posterGeneric: 4 };
const DEFAULT_COLORS = { background: "rgb(250, 250, 252)", foreground: "rgb(0, 0, 0)" };
const COLOR = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/;
export const APPLE_IMAGES = [
  "logo",
  "strip",
  "thumbnail",
  "background",
  "icon",
  "footer",
  "artwork",
] as const;

/** A field as its owner reads it, with what Wallet says when it changes. */
type ReadField = CardField & { readonly changeMessage: string | undefined };

/** The names of the kinds of passes in the message of a change that says nothing itself. */
const KIND_NAMES: Readonly<Record<string, string>> = {
  boardingPass: "Boarding pass",
  coupon: "Coupon",
  eventTicket: "Ticket",
  storeCard: "Store card",
};

export function appleFields(bundle: Bundle, language: string): Record<Section, ReadField[]> {
  const strings = stringsFor(bundle, language);
  const style = bundle.pass[styleOf(bundle.pass) ?? "generic"] as PassJson;
  const read = (section: Section | "footer") => {
    const fields = style[`${section}Fields`];
    if (!Array.isArray(fields)) return [];
    return fields.map((field: AppleField) => readField(field, strings, language, section));
  };
  return {
    header: read("header"),
    primary: read("primary"),
    secondary: read("secondary"),
    // Only posters have a footer, and they have no auxiliary fields.
    auxiliary: [...read("auxiliary"), ...read("footer")],
    back: read("back"),
  };
}

function readField(
  field: AppleField,
  strings: Strings,
  language: string,
  section: Section | "footer",
): ReadField {
  const localized = (text: unknown) =>
    typeof text === "string" ? (strings.get(text) ?? text) : "";
  const value = typeof field.value === "string" ? localized(field.value) : field.value;
  const shown = formatField({ ...field, value }, language);
  const markup = typeof field.attributedValue === "string" ? localized(field.attributedValue) : "";
  const spans = markup === "" ? spansOfText(shown) : spansOfMarkup(markup);
  const align = ALIGNMENTS[String(field.textAlignment)];
  return {
    key: String(field.key),
    label: localized(field.label),
    value: markup === "" ? shown : spans.map(({ text }) => text).join(""),
    ...(section === "back" ? { spans } : {}),
    ...(align === undefined ? {} : { align }),
    changeMessage: field.changeMessage === undefined ? undefined : localized(field.changeMessage),
  };
}

/**
 * What Wallet writes on the lock screen when a pass was replaced by a newer one: the message of
 * each field that changed and has one.
 */
export function changeMessages(before: Bundle, after: Bundle, language: string): string[] {
  const flat = (bundle: Bundle) => Object.values(appleFields(bundle, language)).flat();
  const known = new Map(flat(before).map(({ key, value }) => [key, value]));
  const style = styleOf(after.pass) ?? "generic";
  return flat(after).flatMap(({ key, value, changeMessage }) => {
    if (changeMessage === undefined || changeMessage === "" || known.get(key) === value) return [];
    // One value and no other sign: iOS uses its own words for all other formats.
    const signs = [...changeMessage.matchAll(/%(.?)/gs)].map(([, sign]) => sign);
    const isFormat =
      signs.filter((sign) => sign === "@").length === 1 &&
      signs.every((sign) => sign === "@" || sign === "%");
    return isFormat
      ? [changeMessage.replace(/%[@%]/g, (sign) => (sign === "%@" ? value : "%"))]
      : [`${KIND_NAMES[style] ?? "Pass"} changed`];
  });
}

type Place = { readonly key: string; readonly updatedAt: string; imageUrl(name: string): string };

export function appleCard(bundle: Bundle, language: string, place: Place, now: number): Card {
  const { pass } = bundle;
  const strings = stringsFor(bundle, language);
  const text = (name: string) => {
    const value = pass[name];
    return typeof value === "string" ? (strings.get(value) ?? value) : "";
  };
  const kind = styleOf(pass) ?? "generic";
  const { header, primary, secondary, auxiliary, back } = appleFields(bundle, language);
  const background = colorOf(pass.backgroundColor) ?? DEFAULT_COLORS.background;
  const foreground = colorOf(pass.foregroundColor) ?? DEFAULT_COLORS.foreground;
  const names = new Set(
    [...bundle.files.keys()].map((path) => path.replace(/^.*\/|(@\dx)?\.png$/g, "")),
  );
  return {
    key: place.key,
    wallet: "apple",
    kind,
    id: bundle.serialNumber,
    organization: text("organizationName"),
    description: text("description"),
    logoText: text("logoText"),
    colors: { background, foreground, label: colorOf(pass.labelColor) ?? foreground },
    images: Object.fromEntries(
      APPLE_IMAGES.filter((name) => names.has(name)).map((name) => [name, place.imageUrl(name)]),
    ),
    header: bare(header.slice(0, kind === "posterGeneric" ? 1 : HEADER_MAX)),
    primary: bare(primary.slice(0, PRIMARY_MAX[kind] ?? 1)),
    ...rows(kind, secondary, auxiliary),
    rows: [],
    back: bare(back),
    transit: transitOf(pass[kind] as PassJson),
    barcode: barcodeOf(pass),
    status: statusOf(pass, now),
    vouchedBy: bundle.signer.issuer,
    updatedAt: place.updatedAt,
    ...enrolmentIn(bundle, language, names.has(ENROLMENT_LOGO) ? place : undefined),
  };
}

const ENROLMENT_LOGO = "personalizationLogo";

function enrolmentIn(
  bundle: Bundle,
  language: string,
  pictures: Place | undefined,
): Pick<Card, "enrolment"> {
  const form = enrolmentOf(bundle, language);
  if (form === undefined) return {};
  const { description, inputs } = form;
  const logo = pictures === undefined ? {} : { logo: pictures.imageUrl(ENROLMENT_LOGO) };
  return { enrolment: { description, terms: spansOfMarkup(form.terms), inputs, ...logo } };
}

function bare(fields: readonly ReadField[]): CardField[] {
  return fields.map(({ changeMessage: _, ...field }) => field);
}

/** Store cards and coupons have one row for both sections. */
function rows(kind: string, secondary: readonly ReadField[], auxiliary: readonly ReadField[]) {
  if (kind !== "storeCard" && kind !== "coupon") {
    return {
      secondary: bare(secondary.slice(0, ROW_MAX)),
      auxiliary: bare(auxiliary.slice(0, 2 * ROW_MAX)),
    };
  }
  return { secondary: bare([...secondary, ...auxiliary].slice(0, ROW_MAX)), auxiliary: [] };
}

function colorOf(color: unknown): string | undefined {
  const [, red, green, blue] = COLOR.exec(String(color)) ?? [];
  return red === undefined ? undefined : `rgb(${red}, ${green}, ${blue})`;
}

function transitOf(style: PassJson | undefined): string | undefined {
  const type = style?.transitType;
  return typeof type === "string" ? type.replace("PKTransitType", "").toLowerCase() : undefined;
}

function barcodeOf(pass: PassJson): CardBarcode | undefined {
  const list = Array.isArray(pass.barcodes) ? pass.barcodes : [pass.barcode];
  for (const entry of list as (PassJson | undefined)[]) {
    const format = FORMATS[String(entry?.format)];
    if (format === undefined || typeof entry?.message !== "string") continue;
    const text = typeof entry.altText === "string" ? entry.altText : "";
    return { format, message: entry.message, text };
  }
  return undefined;
}

function statusOf({ voided, expirationDate }: PassJson, now: number): Card["status"] {
  if (voided === true) return "voided";
  const expiresAt = Date.parse(String(expirationDate));
  return expiresAt <= now ? "expired" : "active";
}
