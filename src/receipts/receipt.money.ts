import { type Decimal, unitsOf } from "#kernel/decimal.ts";

/** The longest amount has so many digits after the point. */
const FRACTION_DIGITS_MAX = 4;

const digitsByCurrency = new Map<string, number>();

/** How many digits prices in this currency have after the point: 2 for EUR, 0 for JPY. */
function fractionDigits(currency: string): number {
  let digits = digitsByCurrency.get(currency);
  if (digits === undefined) {
    const format = new Intl.NumberFormat("en", { style: "currency", currency });
    digits = format.resolvedOptions().minimumFractionDigits ?? 0;
    digitsByCurrency.set(currency, digits);
  }
  return digits;
}

/** An amount with the digits that its currency has, without its sign: `12.50`. */
export function writeAmount(amount: Decimal, currency: string): string {
  const [whole = "0", fraction = ""] = amount.split(".");
  const padded = fraction.padEnd(fractionDigits(currency), "0");
  return padded === "" ? whole : `${whole}.${padded}`;
}

/** Writes amounts for people, exactly: texts go into `Intl`, which never makes them doubles. */
export type MoneyFormat = {
  money(amount: Decimal): string;
  /** An amount that goes the other way. */
  minus(amount: Decimal): string;
  number(value: Decimal): string;
  /** `5.5` as `5.5%`. */
  percent(value: Decimal): string;
};

export function moneyFormat(locale: string, currency: string): MoneyFormat {
  const priced = new Intl.NumberFormat(locale, {
    style: "currency",
    currency,
    minimumFractionDigits: fractionDigits(currency),
    maximumFractionDigits: Math.max(FRACTION_DIGITS_MAX, fractionDigits(currency)),
  });
  const plain = new Intl.NumberFormat(locale, { maximumFractionDigits: FRACTION_DIGITS_MAX });
  const share = new Intl.NumberFormat(locale, {
    style: "unit",
    unit: "percent",
    maximumFractionDigits: FRACTION_DIGITS_MAX,
  });
  const written = (format: Intl.NumberFormat, value: Decimal) =>
    format.format(value as Intl.StringNumericLiteral);
  return {
    money: (amount) => written(priced, amount),
    minus: (amount) =>
      written(
        priced,
        amount.startsWith("-") ? amount.slice(1) : isZero(amount) ? "0" : `-${amount}`,
      ),
    number: (value) => written(plain, value),
    percent: (value) => written(share, value),
  };
}

function isZero(amount: Decimal): boolean {
  return unitsOf(amount) === 0n;
}

export function sumOf(amounts: readonly Decimal[]): bigint {
  return amounts.reduce((sum, amount) => sum + unitsOf(amount), 0n);
}
