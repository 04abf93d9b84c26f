import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseCron } from "./cron.ts";
import { lastTick, nextTick } from "./ticks.ts";
import { timeZoneOf } from "./time-zone.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** All times after `from`, until `to`, as texts. */
function ticks(cron: string, zone: string, from: string, to: string): string[] {
  const [parsed, place, end] = [parseCron(cron), timeZoneOf(zone), new Date(to)];
  const found: string[] = [];
  for (
    let tick = nextTick(parsed, place, new Date(from));
    tick !== undefined && tick <= end;
    tick = nextTick(parsed, place, tick)
  ) {
    found.push(tick.toISOString().slice(0, 16));
  }
  return found;
}

/** The wall clock of a zone, found in another way than the product does. */
function localOf(zone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (instant) => {
    const parts = Object.fromEntries(
      format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day, hour, minute, second } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
}

const THIS_CENTURY = { min: Date.UTC(2005, 0, 1), max: Date.UTC(2030, 0, 1) };
/** Zones that change their clocks in all the ways there are. */
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "Europe/London",
  "Europe/Dublin",
  "America/New_York",
  "America/St_Johns",
  "America/Havana",
  "America/Santiago",
  "America/Sao_Paulo",
  "Africa/Casablanca",
  "Africa/Cairo",
  "Asia/Beirut",
  "Asia/Tehran",
  "Asia/Kathmandu",
  "Asia/Gaza",
  "Australia/Lord_Howe",
  "Australia/Sydney",
  "Pacific/Apia",
  "Pacific/Chatham",
  "Antarctica/Troll",
];
const zones = fc.constantFrom(...ZONES);
const moments = fc.integer(THIS_CENTURY).map((ms) => Math.floor(ms / MINUTE_MS) * MINUTE_MS);

const changesOf = new Map(
  ZONES.map((zone) => [
    zone,
    timeZoneOf(zone)
      .changesBetween(THIS_CENTURY.min, THIS_CENTURY.max)
      .map(({ at }) => at),
  ]),
);

/** Moments close to a change of clocks, which random ones seldom meet. */
const changes = zones.chain((zone) => {
  const at = changesOf.get(zone) ?? [];
  const near = at.length === 0 ? moments : fc.constantFrom(...at);
  return fc.record({
    zone: fc.constant(zone),
    from: fc
      .tuple(near, fc.integer({ min: -2 * 1_440, max: 60 }))
      .map(([moment, minutes]) => Math.floor(moment / MINUTE_MS + minutes) * MINUTE_MS),
  });
});

describe("the times of a schedule where clocks go forward", () => {
  it("a time that is skipped is due once, right after the gap", () => {
    const [from, to] = ["2026-03-28T12:00Z", "2026-03-30T12:00Z"];
    assert.deepEqual(ticks("30 2 * * *", "Europe/Berlin", from, to), [
      "2026-03-29T01:00",
      "2026-03-30T00:30",
    ]);
    assert.deepEqual(ticks("0 0 * * *", "Asia/Beirut", from, to), [
      "2026-03-28T22:00",
      "2026-03-29T21:00",
    ]);
  });

  it("several skipped times are due once together", () => {
    const [from, to] = ["2026-03-28T23:50Z", "2026-03-29T02:10Z"];
    assert.deepEqual(ticks("*/20 1-3 * * *", "Europe/Berlin", from, to), [
      "2026-03-29T00:00",
      "2026-03-29T00:20",
      "2026-03-29T00:40",
      "2026-03-29T01:00",
      "2026-03-29T01:20",
      "2026-03-29T01:40",
    ]);
  });

  it("a day that is skipped is not lost", () => {
    const [from, to] = ["2011-12-29T00:00Z", "2012-01-01T00:00Z"];
    assert.deepEqual(ticks("30 9 30 12 *", "Pacific/Apia", from, to), ["2011-12-30T10:00"]);
    assert.deepEqual(ticks("30 * 30 12 *", "Pacific/Apia", from, to), ["2011-12-30T10:00"]);
  });

  it("a schedule of every hour goes on in even steps", () => {
    const [from, to] = ["2026-03-28T23:50Z", "2026-03-29T02:40Z"];
    assert.deepEqual(ticks("30 * * * *", "Europe/Berlin", from, to), [
      "2026-03-29T00:30",
      "2026-03-29T01:30",
      "2026-03-29T02:30",
    ]);
    // Half an hour is skipped there, from 2:00 to 2:30.
    assert.deepEqual(
      ticks("0 * * * *", "Australia/Lord_Howe", "2026-10-03T14:00Z", "2026-10-03T16:40Z"),
      ["2026-10-03T14:30", "2026-10-03T15:30", "2026-10-03T16:00"],
    );
  });
});

describe("the times of a schedule where clocks go back", () => {
  it("a time that comes twice is due the first time only", () => {
    const [from, to] = ["2026-10-24T12:00Z", "2026-10-26T12:00Z"];
    assert.deepEqual(ticks("30 2 * * *", "Europe/Berlin", from, to), [
      "2026-10-25T00:30",
      "2026-10-26T01:30",
    ]);
    // The clocks of Havana go from 1:00 back to midnight.
    assert.deepEqual(
      ticks("0 0 * * *", "America/Havana", "2026-10-31T12:00Z", "2026-11-02T12:00Z"),
      ["2026-11-01T04:00", "2026-11-02T05:00"],
    );
  });

  it("a schedule of every hour goes on in even steps", () => {
    const [from, to] = ["2026-10-24T23:50Z", "2026-10-25T02:40Z"];
    assert.deepEqual(ticks("30 * * * *", "Europe/Berlin", from, to), [
      "2026-10-25T00:30",
      "2026-10-25T01:30",
      "2026-10-25T02:30",
    ]);
    // Half an hour comes twice there, from 1:30 to 2:00.
    assert.deepEqual(
      ticks("45 * * * *", "Australia/Lord_Howe", "2026-04-04T14:00Z", "2026-04-04T16:20Z"),
      ["2026-04-04T14:45", "2026-04-04T16:15"],
    );
  });
});

describe("the days of a schedule", () => {
  it("are of the month, of the week, or one of both if both are named", () => {
    const [from, to] = ["2026-06-01T00:00Z", "2026-06-30T23:00Z"];
    const days = (cron: string) =>
      ticks(cron, "UTC", from, to).map((tick) => Number(tick.slice(8, 10)));
    assert.deepEqual(days("0 5 13 * *"), [13]);
    assert.deepEqual(days("0 5 * * fri"), [5, 12, 19, 26]);
    assert.deepEqual(days("0 5 13 * fri"), [5, 12, 13, 19, 26]);
    assert.deepEqual(days("0 5 * * 7"), days("0 5 * * sun"));
    assert.deepEqual(days("0 5 * 7 *"), []);
  });

  it("can be years apart", () => {
    assert.deepEqual(ticks("0 0 29 2 *", "UTC", "2096-03-01T00:00Z", "2105-01-01T00:00Z"), [
      "2104-02-29T00:00",
    ]);
  });
});

describe("in any zone, at any time", () => {
  it("'* * * * *' is due every minute, each once", () => {
    fc.assert(
      fc.property(changes, ({ zone, from }) => {
        let last = new Date(from);
        const cron = parseCron("* * * * *");
        for (let count = 0; count < 180; count += 1) {
          const next = nextTick(cron, timeZoneOf(zone), last);
          assert.equal(next?.getTime(), last.getTime() + MINUTE_MS);
          last = next ?? last;
        }
      }),
      { numRuns: 20 },
    );
  });

  it("a daily time is due exactly once for each day of the calendar", () => {
    const times = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }));
    fc.assert(
      fc.property(changes, times, ({ zone, from }, [hour, minute]) => {
        const local = localOf(zone);
        const wanted: number[] = [];
        // Minute by minute: the first one whose wall clock shows the time, or has passed it.
        for (let at = from + MINUTE_MS; at <= from + 4 * DAY_MS; at += MINUTE_MS) {
          const [before, now] = [local(at - MINUTE_MS), local(at)];
          const due = Math.floor(now / DAY_MS) * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS;
          const late = due > now ? due - DAY_MS : due;
          if (late > before && late <= now) wanted.push(at);
        }
        // A time that came before and comes again is none.
        const known = new Set<number>();
        const first = wanted.filter((at) => {
          const day = Math.floor((local(at) - hour * HOUR_MS - minute * MINUTE_MS) / DAY_MS);
          const isNew = !known.has(day);
          known.add(day);
          return isNew;
        });
        const start = new Date(from);
        const found = ticks(
          `${minute} ${hour} * * *`,
          zone,
          start.toISOString(),
          new Date(from + 4 * DAY_MS).toISOString(),
        ).map((tick) => Date.parse(`${tick}Z`));
        // What came twice may have come for the first time before the beginning.
        const inside = (at: number) => at > from + DAY_MS;
        assert.deepEqual(found.filter(inside), first.filter(inside));
      }),
      { numRuns: 25 },
    );
  });

  it("times rise, and the last one until a moment is the one before the next", () => {
    const crons = fc.constantFrom(
      "*/7 * * * *",
      "30 * * * *",
      "0 */2 * * *",
      "*/20 1-3 * * *",
      "15 0 * * sun",
      "0 0 1 * *",
      "59 23 31 12 *",
    );
    fc.assert(
      fc.property(changes, crons, ({ zone, from }, text) => {
        const [cron, place] = [parseCron(text), timeZoneOf(zone)];
        const first = nextTick(cron, place, new Date(from));
        const second = first && nextTick(cron, place, first);
        assert.ok(first !== undefined && second !== undefined);
        assert.ok(first.getTime() > from && second > first);
        const until = new Date(second.getTime() - 1);
        assert.deepEqual(lastTick(cron, place, new Date(from), until), first);
        assert.deepEqual(lastTick(cron, place, new Date(from), second), second);
        assert.equal(lastTick(cron, place, first, until), undefined);
      }),
      { numRuns: 150 },
    );
  });
});
