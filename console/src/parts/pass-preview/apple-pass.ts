import { isJson, type Json, jsonAt, listAt, textAt } from "./json.ts";
import type { Preview, ShownBarcode } from "./shapes.ts";

/** A name is the same in all languages. */
export const APPLE = "Apple Wallet";

export type AppleStyle = "storeCard" | "coupon" | "eventTicket" | "generic" | "boardingPass";
const STYLES: readonly AppleStyle[] = [
  "storeCard",
  "coupon",
  "eventTicket",
  "generic",
  "boardingPass",
];

export type ShownField = {
  readonly key: string;
  readonly label: string;
  readonly text: string;
  readonly align: "left" | "center" | "right" | undefined;
  readonly row: number;
};

export type ApplePass = {
  readonly style: AppleStyle;
  readonly organization: string;
  readonly description: string;
  readonly logoText: string;
  readonly colors: { readonly background: string; readonly value: string; readonly label: string };
  readonly fields: Readonly<
    Record<"header" | "primary" | "secondary" | "auxiliary" | "back", readonly ShownField[]>
  >;
  readonly transit: string;
  readonly barcode: ShownBarcode | undefined;
  readonly isVoided: boolean;
  readonly expires: string;
};

const FORMATS: Readonly<Record<string, ShownBarcode["format"]>> = {
  PKBarcodeFormatQR: "qr",
  PKBarcodeFormatPDF417: "pdf417",
  PKBarcodeFormatAztec: "aztec",
  PKBarcodeFormatCode128: "code128",
};

/** Reads pass.json as the phone does, in a language. */
export function readApplePass(
  { pass, strings }: NonNullable<Preview["apple"]>,
  language: string,
): ApplePass {
  const table = strings[language] ?? {};
  const translate = (text: string): string => table[text] ?? text;
  const style = STYLES.find((name) => isJson(pass[name])) ?? "generic";
  const fieldsOf = (name: string): ShownField[] =>
    listAt(pass, style, `${name}Fields`).map((field) => readField(field, translate, language));
  return {
    style,
    organization: translate(textAt(pass, "organizationName")),
    description: translate(textAt(pass, "description")),
    logoText: translate(textAt(pass, "logoText")),
    colors: {
      background: textAt(pass, "backgroundColor") || "rgb(255, 255, 255)",
      value: textAt(pass, "foregroundColor") || "rgb(0, 0, 0)",
      label: textAt(pass, "labelColor") || textAt(pass, "foregroundColor") || "rgb(90, 90, 90)",
    },
    fields: {
      header: fieldsOf("header"),
      primary: fieldsOf("primary"),
      secondary: fieldsOf("secondary"),
      auxiliary: fieldsOf("auxiliary"),
      back: fieldsOf("back"),
    },
    transit: textAt(pass, style, "transitType"),
    barcode: readBarcode(listAt(pass, "barcodes")[0]),
    isVoided: pass.voided === true,
    expires: textAt(pass, "expirationDate"),
  };
}

function readBarcode(code: Json | undefined): ShownBarcode | undefined {
  const format = FORMATS[textAt(code, "format")];
  if (format === undefined) return undefined;
  return { format, message: textAt(code, "message"), text: textAt(code, "altText") };
}

function readField(field: Json, translate: (text: string) => string, language: string): ShownField {
  const align = textAt(field, "textAlignment").replace("PKTextAlignment", "").toLowerCase();
  return {
    key: textAt(field, "key"),
    label: translate(textAt(field, "label")),
    text: formatValue(field, translate, language),
    align: align === "center" || align === "right" || align === "left" ? align : undefined,
    row: Number(jsonAt(field, "row") ?? 0),
  };
}

const STYLE_NAMES: Readonly<Record<string, "short" | "medium" | "long" | "full">> = {
  PKDateStyleShort: "short",
  PKDateStyleMedium: "medium",
  PKDateStyleLong: "long",
  PKDateStyleFull: "full",
};

const NUMBERS: Readonly<Record<string, Intl.NumberFormatOptions>> = {
  PKNumberStyleDecimal: { maximumFractionDigits: 3 },
  PKNumberStylePercent: { style: "percent", maximumFractionDigits: 2 },
  PKNumberStyleScientific: { notation: "scientific" },
};

/** Phones format dates and numbers themselves. */
function formatValue(field: Json, translate: (text: string) => string, language: string): string {
  const { value } = field;
  const [dateStyle, timeStyle] = [
    STYLE_NAMES[textAt(field, "dateStyle")],
    STYLE_NAMES[textAt(field, "timeStyle")],
  ];
  if (typeof value === "number") return formatNumber(value, field, language);
  const text = String(value ?? "");
  if (dateStyle === undefined && timeStyle === undefined) return translate(text);
  // The time on the clock at the place of the tenant: the offset is what makes it that.
  const wall = Date.parse(text.replace(/(Z|[+-]\d{2}:?\d{2})$/, "Z"));
  if (Number.isNaN(wall)) return text;
  return new Intl.DateTimeFormat(language, {
    ...(dateStyle === undefined ? {} : { dateStyle }),
    ...(timeStyle === undefined ? {} : { timeStyle }),
    timeZone: "UTC",
  }).format(wall);
}

function formatNumber(value: number, field: Json, language: string): string {
  const currency = textAt(field, "currencyCode");
  const options =
    currency === ""
      ? (NUMBERS[textAt(field, "numberStyle")] ?? {})
      : ({ style: "currency", currency } as const);
  try {
    return new Intl.NumberFormat(language, options).format(value);
  } catch {
    return String(value);
  }
}
