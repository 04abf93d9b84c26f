import { createHash } from "node:crypto";
import {
  isDecimal,
  type JsonObject,
  type LocalizedPass,
  placeTime,
  type RenderedPass,
} from "#src/templates/language/public.ts";

export type Pick = (pass: RenderedPass) => string | undefined;

/**
 * A text with its translations. Translations equal to the text are left out, because Google falls
 * back to the default value.
 */
export function localized({ main, others }: LocalizedPass, pick: Pick): JsonObject | undefined {
  const value = pick(main);
  if (value === undefined || value === "") return undefined;
  const translatedValues = others.flatMap((other) => {
    const translated = pick(other);
    return translated === undefined || translated === "" || translated === value
      ? []
      : [{ language: other.language, value: translated }];
  });
  return {
    defaultValue: { language: main.language, value },
    ...(translatedValues.length === 0 ? {} : { translatedValues }),
  };
}

/** For members that Google keeps beside a plain member: undefined if there are no translations. */
export function translatedOnly(pass: LocalizedPass, pick: Pick): JsonObject | undefined {
  const text = localized(pass, pick);
  return text !== undefined && "translatedValues" in text ? text : undefined;
}

export function detail(pass: LocalizedPass, name: string): string | undefined {
  return pass.main.details.get(name);
}

export function localizedDetail(pass: LocalizedPass, name: string): JsonObject | undefined {
  return localized(pass, ({ details }) => details.get(name));
}

/**
 * The time on the clock at that place, for members that Google takes without an offset; undefined if the
 * text is not a date.
 */
export function localTime({ main }: LocalizedPass, name: string): string | undefined {
  return placeTime(main, name)?.slice(0, "2026-05-01T18:30:00".length);
}

/**
 * Google takes millionths. They are computed from the text, because a binary float is not exact.
 */
export function toMoney(
  amount: string | undefined,
  currencyCode: string | undefined,
): JsonObject | undefined {
  if (amount === undefined || currencyCode === undefined || !isDecimal(amount)) return undefined;
  const [whole = "0", fraction = ""] = amount.replace("+", "").split(".");
  const micros = BigInt(`${whole}${fraction.slice(0, 6).padEnd(6, "0")}`);
  return { micros: micros.toString(), currencyCode };
}

const ID_HASH_LENGTH = 16;

export function shortHash(texts: readonly (string | undefined)[]): string {
  const hash = createHash("sha256").update(JSON.stringify(texts)).digest("hex");
  return hash.slice(0, ID_HASH_LENGTH);
}

/** Google allows only letters, digits, `.`, `_` and `-` in ids. */
export function toSuffix(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]/g, "_");
}
