import { type Decimal, decimalFromUnits, parseDecimal, unitsOf, ZERO } from "#kernel/decimal.ts";
import type { Earn } from "./sale-members.ts";

/** One, in the units of a decimal. */
const ONE = unitsOf("1");
/** Rates have four decimals at most, as all decimals do. */
const RATE_DIGITS = 4;

/** By what money gives value. */
export type Rate = { readonly perUnit: Decimal; readonly rounding: "down" | "half-up" };

/** Money that was paid or went back, and the rate by which it gives value. */
export type Sale = Rate & { readonly money: Decimal; readonly currency?: string | undefined };

export function rateOf({ perUnit, rounding = "down" }: Earn): Rate {
  return { perUnit: parseDecimal(perUnit.toFixed(RATE_DIGITS)) ?? ZERO, rounding };
}

/** What an amount of money gives, in whole ones. */
export function earnedValue({ perUnit, rounding }: Rate, amount: Decimal): Decimal {
  const rate = unitsOf(perUnit);
  // In units of units: both factors have four decimals.
  const product = unitsOf(amount) * rate;
  const whole = rounding === "down" ? product : product + (ONE * ONE) / 2n;
  return decimalFromUnits((whole / (ONE * ONE)) * ONE);
}

/** What was given for a sale, and what refunds have taken back until now. */
export type Given = {
  readonly value: Decimal;
  /** Of the value, without a sign. */
  readonly reversed: Decimal;
  /** Undefined if it was not kept. */
  readonly sale: Sale | undefined;
  /** The money that went back until now. */
  readonly refundedMoney: Decimal;
};

/**
 * What a refund takes back: all that was given, but for what the money that is left gives at the same
 * rate. So the parts of a refund take back what the whole would, however they are rounded.
 */
export function takenBackBy(
  { value, reversed, sale, refundedMoney }: Given,
  refund: Sale,
): Decimal {
  const left = unitsOf(value) - unitsOf(reversed);
  const wanted =
    sale === undefined
      ? unitsOf(earnedValue(refund, refund.money))
      : left - unitsOf(earnedValue(sale, moneyLeft(sale.money, [refundedMoney, refund.money])));
  return decimalFromUnits(smaller(larger(wanted, 0n), larger(left, 0n)));
}

function moneyLeft(money: Decimal, refunds: readonly Decimal[]): Decimal {
  return decimalFromUnits(larger(unitsOf(money) - unitsOf(sumOf(refunds)), 0n));
}

const larger = (one: bigint, other: bigint) => (one > other ? one : other);
const smaller = (one: bigint, other: bigint) => (one < other ? one : other);

/** The sum of some amounts. */
export function sumOf(amounts: readonly Decimal[]): Decimal {
  return decimalFromUnits(amounts.reduce((sum, amount) => sum + unitsOf(amount), 0n));
}

/** The price of several, cut to four decimals. */
export function productOf(quantity: Decimal, price: Decimal): Decimal {
  return decimalFromUnits((unitsOf(quantity) * unitsOf(price)) / ONE);
}
