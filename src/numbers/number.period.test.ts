import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { PERIOD_DAYS, type PeriodDays, periodOf } from "./number.period.ts";

const texts = (now: string, days: PeriodDays, timeZone: string) => {
  const { steps, end, previousFrom } = periodOf(new Date(now), days, timeZone);
  const short = (date: Date) => date.toISOString().slice(5, 16);
  return { steps: steps.map(short), end: short(end), previousFrom: short(previousFrom) };
};

describe("the period of numbers", () => {
  it("of one day goes back 24 hours from the present one, by the hour", () => {
    const { steps, end, previousFrom } = texts("2026-03-10T14:20:00Z", 1, "UTC");
    assert.equal(steps.length, 25);
    assert.deepEqual(
      [steps[0], steps[1], steps[24], end, previousFrom],
      ["03-09T14:00", "03-09T15:00", "03-10T14:00", "03-10T15:00", "03-08T14:00"],
    );
  });

  it("of days has those of the zone, also where its clocks change", () => {
    const { steps, end, previousFrom } = texts("2026-03-30T08:10:00Z", 7, "Europe/Paris");
    assert.deepEqual(steps, [
      "03-23T08:00",
      "03-23T23:00",
      "03-24T23:00",
      "03-25T23:00",
      "03-26T23:00",
      "03-27T23:00",
      "03-28T23:00",
      "03-29T22:00",
    ]);
    assert.deepEqual([end, previousFrom], ["03-30T09:00", "03-16T08:00"]);
  });

  it("begins a day with the change of clocks that leave out midnight", () => {
    // In Chile the clocks go from 24:00 to 1:00.
    const { steps } = texts("2025-09-08T12:00:00Z", 7, "America/Santiago");
    assert.deepEqual(steps.slice(-3), ["09-06T04:00", "09-07T04:00", "09-08T03:00"]);
  });

  it("has no day in the future where midnight is within the present hour", () => {
    const steps = (now: string) => texts(now, 7, "Asia/Kolkata").steps.at(-1);
    assert.equal(steps("2029-12-02T18:10:00Z"), "12-01T18:30");
    assert.equal(steps("2029-12-02T19:00:00Z"), "12-02T18:30");
  });

  it("has bounds in order at any time and in any zone, and the present is in its last step", () => {
    const zones = ["UTC", "Asia/Kolkata", "America/St_Johns", "Pacific/Apia", "Africa/Cairo"];
    fc.assert(
      fc.property(
        fc.date({ min: new Date("2015-01-01"), max: new Date("2035-01-01"), noInvalidDate: true }),
        fc.constantFrom(...PERIOD_DAYS),
        fc.constantFrom(...zones),
        (now, days, zone) => {
          const { steps, end, previousFrom } = periodOf(now, days, zone);
          const bounds = [previousFrom, ...steps, end].map(Number);
          assert.ok(bounds.every((bound, at) => at === 0 || Number(bounds[at - 1]) < bound));
          assert.ok(Number(steps.at(-1)) <= Number(now) && Number(now) < Number(end));
          assert.ok(Math.abs(steps.length - (days === 1 ? 25 : days + 1)) <= 1);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
