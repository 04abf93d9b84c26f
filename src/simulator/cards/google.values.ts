export type Json = Readonly<Record<string, unknown>>;

/** Reads along members, and gives undefined where one is missing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== "object" || found === null) return undefined;
    found = (found as Json)[name];
  }
  return found;
}

export function listAt(value: unknown, ...path: readonly string[]): readonly Json[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? (found as Json[]) : [];
}

/** A text of the API in the language of the phone: plain, translated, a number, money or a date. */
export function textOf(value: unknown, language: string): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "object") return String(value);
  const translated = listAt(value, "translatedValues").find(
    (entry) => String(entry.language).split("-")[0] === language.split("-")[0],
  );
  const text = translated?.value ?? at(value, "defaultValue", "value");
  if (text !== undefined) return String(text);
  const { micros, currencyCode, money, string, int, double, date } = value as Json;
  if (micros !== undefined) return moneyOf(Number(micros), String(currencyCode), language);
  if (money !== undefined) return textOf(money, language);
  if (date !== undefined) return String(date);
  const number = int ?? double;
  if (number !== undefined) return new Intl.NumberFormat(language).format(Number(number));
  return string === undefined ? "" : String(string);
}

/** `x`, or `localizedX` where that is given. */
export function memberText(holder: unknown, name: string, language: string): string {
  const localized = `localized${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return textOf(at(holder, localized), language) || textOf(at(holder, name), language);
}

export function imageUri(image: unknown): string | undefined {
  const uri = at(image, "sourceUri", "uri");
  return typeof uri === "string" ? uri : undefined;
}

function moneyOf(micros: number, currency: string, language: string): string {
  const amount = micros / 1_000_000;
  if (!/^[A-Z]{3}$/.test(currency)) return String(amount);
  return new Intl.NumberFormat(language, { style: "currency", currency }).format(amount);
}

/** A date of the API, with or without an offset, as people read it. */
export function dateText(value: string, language: string): string {
  const [, wall] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)/.exec(value) ?? [];
  if (wall === undefined) return value;
  const format = new Intl.DateTimeFormat(language, {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "UTC",
  });
  return format.format(new Date(`${wall}:00Z`));
}
