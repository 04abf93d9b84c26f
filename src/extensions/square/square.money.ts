import { type Decimal, parseDecimal } from "#kernel/decimal.ts";
import { textAt } from "../kit/values.ts";

export type Money = { readonly amount: Decimal; readonly currency: string };

const MINOR_UNITS = /^[0-9]{1,15}$/;
const CURRENCY = /^[A-Z]{3}$/;

/** Square writes amounts in the smallest unit of their currency: cents, or whole yen. */
export function moneyAt(value: unknown, path: string): Money | undefined {
  const units = textAt(value, `${path}.amount`) ?? "";
  const currency = textAt(value, `${path}.currency`) ?? "";
  if (!MINOR_UNITS.test(units) || !CURRENCY.test(currency)) return undefined;
  const digits = digitsOf(currency);
  const padded = units.padStart(digits + 1, "0");
  const whole = padded.slice(0, padded.length - digits);
  const amount = parseDecimal(digits === 0 ? whole : `${whole}.${padded.slice(-digits)}`);
  return amount === undefined ? undefined : { amount, currency };
}

function digitsOf(currency: string): number {
  const { maximumFractionDigits } = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
  }).resolvedOptions();
  return maximumFractionDigits ?? 2;
}
