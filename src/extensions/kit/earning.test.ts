import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Decimal, decimalFromUnits, unitsOf } from "#kernel/decimal.ts";
import { earnedValue, type Rate, rateOf, sumOf, takenBackBy } from "./earning.ts";

const CENT = 100n;
const money = (cents: number): Decimal => decimalFromUnits(BigInt(cents) * CENT);

const anyRate = fc
  .record({
    perUnit: fc.integer({ min: 1, max: 50_000 }).map((units) => units / 10_000),
    rounding: fc.constantFrom("down" as const, "half-up" as const),
  })
  .map((settings) => rateOf({ privilege: "points", ...settings }));

/** Takes back refund by refund, as deliveries do; `today` is the rate when a refund comes. */
function takeBack(given: Rate, today: Rate, total: Decimal, refunds: readonly Decimal[]) {
  const value = earnedValue(given, total);
  let reversed: Decimal = "0";
  const taken = refunds.map((refund, at) => {
    const refundedMoney = sumOf(refunds.slice(0, at));
    const sale = { ...given, money: total };
    const one = takenBackBy({ value, reversed, sale, refundedMoney }, { ...today, money: refund });
    reversed = sumOf([reversed, one]);
    return one;
  });
  return { value, taken, reversed };
}

describe("what refunds take back", () => {
  it("is in total exactly what was given, however the whole sale is split", () => {
    const parts = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(anyRate, anyRate, parts, (given, today, cents) => {
        const total = money(cents.reduce((sum, part) => sum + part, 0));
        const { value, taken, reversed } = takeBack(given, today, total, cents.map(money));
        assert.equal(reversed, value);
        assert.ok(taken.every((one) => unitsOf(one) >= 0n));
      }),
    );
  });

  it("is never more than was given, whatever goes back", () => {
    const amounts = fc.array(fc.integer({ min: 0, max: 500_000 }), { maxLength: 10 });
    fc.assert(
      fc.property(anyRate, fc.integer({ min: 0, max: 100_000 }), amounts, (rate, total, cents) => {
        const { value, reversed } = takeBack(rate, rate, money(total), cents.map(money));
        assert.ok(unitsOf(reversed) <= unitsOf(value));
      }),
    );
  });

  it("is by the rate of today where that of the sale was not kept", () => {
    const rate: Rate = { perUnit: "2", rounding: "down" };
    const given = { value: "30", reversed: "25", sale: undefined, refundedMoney: "0" };
    assert.equal(takenBackBy(given, { ...rate, money: "1.5" }), "3");
    assert.equal(takenBackBy(given, { ...rate, money: "15" }), "5");
  });
});
