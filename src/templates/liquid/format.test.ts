import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseDate } from "./format.ts";

const HOUR_MS = 3_600_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** What a clock in that time zone shows, as if it were UTC. */
function shownMs(at: number, timeZone: string): number {
  const style = { dateStyle: "short", timeStyle: "medium" } as const;
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat("sv-SE", { timeZone, ...style });
  formats.set(timeZone, format);
  return Date.parse(`${format.format(at).replace(" ", "T")}Z`);
}

/** All moments at which a clock shows it, in their order. */
function momentsOf(wallMs: number, timeZone: string): number[] {
  const moments = new Set<number>();
  for (let hours = -27; hours <= 27; hours += 1) {
    const near = wallMs + hours * HOUR_MS;
    moments.add(wallMs - (shownMs(near, timeZone) - near));
  }
  return [...moments].filter((at) => shownMs(at, timeZone) === wallMs).sort((a, b) => a - b);
}

describe("a date without an offset", () => {
  const cases: readonly (readonly [text: string, timeZone: string, moment: string, why: string])[] =
    [
      ["2027-09-05", "America/Santiago", "2027-09-05T04:00:00Z", "the day begins at 01:00"],
      ["2027-03-14T02:30:00", "America/New_York", "2027-03-14T07:30:00Z", "left out, in the west"],
      ["2027-03-28T02:30:00", "Europe/Paris", "2027-03-28T01:30:00Z", "left out, in the east"],
      ["2027-11-07T01:30:00", "America/New_York", "2027-11-07T05:30:00Z", "twice, in the west"],
      ["2027-10-31T02:30:00", "Europe/Paris", "2027-10-31T00:30:00Z", "twice, in the east"],
      ["2027-10-03T02:15:00", "Australia/Lord_Howe", "2027-10-02T15:45:00Z", "half an hour"],
      ["2027-10-31T03:00:00", "Europe/Paris", "2027-10-31T02:00:00Z", "right after a change"],
      ["2027-03-28T03:00:00", "Europe/Paris", "2027-03-28T01:00:00Z", "right after a change"],
      ["2027-06-15", "Asia/Kolkata", "2027-06-14T18:30:00Z", "no change"],
    ];
  for (const [text, timeZone, moment, why] of cases) {
    it(`means what calendars mean: ${text} in ${timeZone} (${why})`, () => {
      assert.equal(parseDate(text, timeZone)?.getTime(), Date.parse(moment));
    });
  }

  for (const [timeZone, midnight, later, moment] of [
    ["America/St_Johns", "2005-04-03", "2005-04-03T01:05", "2005-04-03T03:35:00Z"],
    ["America/Goose_Bay", "2011-03-13", "2011-03-13T01:05", "2011-03-13T04:05:00Z"],
    ["Antarctica/Casey", "2020-10-04", "2020-10-04T03:05", "2020-10-03T16:05:00Z"],
  ] as const) {
    it(`does not depend on dates that were read before: clocks in ${timeZone} changed at 00:01`, () => {
      parseDate(midnight, timeZone);
      assert.equal(parseDate(later, timeZone)?.getTime(), Date.parse(moment));
    });
  }

  it("property: is the first moment at which a clock there shows it; one that no clock shows is not the day before", () => {
    const zones = [
      ...[
        "America/New_York",
        "America/Santiago",
        "America/St_Johns",
        "Europe/Paris",
        "Europe/Dublin",
      ],
      ...[
        "Africa/Casablanca",
        "Africa/Cairo",
        "Asia/Beirut",
        "Asia/Kathmandu",
        "Australia/Lord_Howe",
      ],
      ...["Pacific/Auckland", "Pacific/Chatham", "Pacific/Kiritimati", "UTC"],
    ];
    // Minutes around changes of the clocks are rare among all minutes: half of the times are near one.
    const changes = [
      "2027-03-14",
      "2027-03-28",
      "2027-04-04",
      "2027-09-05",
      "2027-10-31",
      "2027-11-07",
    ];
    const near = fc
      .tuple(fc.constantFrom(...changes), fc.integer({ min: -30 * 60, max: 30 * 60 }))
      .map(([day, minutes]) => Date.parse(day) + minutes * 60_000);
    const any = fc
      .integer({ min: Date.UTC(1995, 0, 1) / 60_000, max: Date.UTC(2037, 0, 1) / 60_000 })
      .map((minutes) => minutes * 60_000);
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.oneof(near, any), (timeZone, wallMs) => {
        const text = new Date(wallMs).toISOString().slice(0, 16);
        const found = parseDate(text, timeZone)?.getTime() ?? Number.NaN;
        const [first] = momentsOf(wallMs, timeZone);
        if (first !== undefined) assert.equal(found, first);
        else assert.ok(shownMs(found, timeZone) > wallMs, "later, not earlier");
      }),
      { numRuns: 300 },
    );
  });
});
