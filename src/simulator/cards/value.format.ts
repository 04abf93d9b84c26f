/** A field of pass.json. */
export type AppleField = Readonly<Record<string, unknown>>;

const STYLES: Readonly<Record<string, "short" | "medium" | "long" | "full">> = {
  PKDateStyleShort: "short",
  PKDateStyleMedium: "medium",
  PKDateStyleLong: "long",
  PKDateStyleFull: "full",
};
const NONE = "PKDateStyleNone";
const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|([+-])(\d\d):(\d\d))$/;

/** The value of a field as Wallet writes it in the language of the phone. */
export function formatField(field: AppleField, language: string): string {
  const { value } = field;
  if (typeof value === "number") return formatNumber(field, value, language);
  const text = String(value ?? "");
  const isDate = field.dateStyle !== undefined || field.timeStyle !== undefined;
  return isDate && ISO_DATE.test(text) ? formatDate(field, text, language) : text;
}

function formatNumber(field: AppleField, value: number, language: string): string {
  const { currencyCode, numberStyle } = field;
  if (typeof currencyCode === "string" && /^[A-Z]{3}$/.test(currencyCode)) {
    return new Intl.NumberFormat(language, { style: "currency", currency: currencyCode }).format(
      value,
    );
  }
  if (numberStyle === "PKNumberStylePercent") {
    return new Intl.NumberFormat(language, { style: "percent" }).format(value);
  }
  if (numberStyle === "PKNumberStyleScientific") {
    return new Intl.NumberFormat(language, { notation: "scientific" }).format(value);
  }
  return new Intl.NumberFormat(language).format(value);
}

/** The phone is in UTC, unless the field wants the time as it is at the place. */
function formatDate(field: AppleField, text: string, language: string): string {
  const [, sign, hours = "0", minutes = "0"] = ISO_DATE.exec(text) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  const shift = field.ignoresTimeZone === true ? offset * 60_000 : 0;
  const [dateStyle, timeStyle] = [styleOf(field.dateStyle), styleOf(field.timeStyle)];
  if (dateStyle === undefined && timeStyle === undefined) return text;
  const format = new Intl.DateTimeFormat(language, {
    timeZone: "UTC",
    ...(dateStyle === undefined ? {} : { dateStyle }),
    ...(timeStyle === undefined ? {} : { timeStyle }),
  });
  return format.format(new Date(Date.parse(text) + shift));
}

function styleOf(style: unknown): "short" | "medium" | "long" | "full" | undefined {
  return style === NONE ? undefined : STYLES[String(style)];
}
