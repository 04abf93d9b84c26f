import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  ATTEMPTS_MAX,
  FAILING_DAYS_MAX,
  type FailedAttempt,
  planRetry,
} from "./delivery.schedule.ts";

const NOW = new Date("2026-01-31T09:30:00.000Z");
const HOUR = 3_600;
const DAY = 24 * HOUR;

/** The waits that the documentation promises, in seconds. */
const PROMISED = [
  5,
  300,
  1_800,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;
const JITTER_MAX = 900;

function waitSeconds(changes: Partial<FailedAttempt>): number | undefined {
  const plain = { attempt: 1, random: 0, retryAfter: undefined, status: 500, timedOut: false };
  const waitMs = planRetry({ ...plain, now: NOW, ...changes });
  return waitMs === undefined ? undefined : waitMs / 1_000;
}

const anyMoment = fc.date({
  min: new Date("2020-01-01"),
  max: new Date("2100-01-01"),
  noInvalidDate: true,
});
const anyRetryAfter = fc.oneof(
  fc.constant(undefined),
  fc.nat(3 * DAY).map(String),
  anyMoment.map((moment) => moment.toUTCString()),
  fc.string(),
  fc.constantFrom("-1", "1.5", "1e9", "Infinity", "NaN", "", " ", "9".repeat(500)),
);
const anyFailure: fc.Arbitrary<FailedAttempt> = fc.record({
  attempt: fc.integer({ min: 1, max: ATTEMPTS_MAX + 5 }),
  now: anyMoment,
  random: fc.double({ min: 0, max: 1, noNaN: true }),
  retryAfter: anyRetryAfter,
  status: fc.option(fc.integer({ min: 100, max: 599 }), { nil: undefined }),
  timedOut: fc.boolean(),
});

describe("the schedule of attempts", () => {
  it("waits as it is promised, and gives up after the tenth attempt", () => {
    assert.equal(ATTEMPTS_MAX, 10);
    assert.equal(FAILING_DAYS_MAX, 5);
    const waits = Array.from({ length: 12 }, (_, at) => waitSeconds({ attempt: at + 1 }));
    assert.deepEqual(waits, [...PROMISED, undefined, undefined, undefined]);
  });

  it("comes later by at most a tenth and a quarter of an hour", () => {
    assert.equal(waitSeconds({ random: 1 }), 5.5);
    assert.equal(waitSeconds({ attempt: 2, random: 0.5 }), 315);
    assert.equal(waitSeconds({ attempt: 9, random: 1 }), DAY + JITTER_MAX);
  });

  it("leaves a minute to who is overloaded or does not answer in time", () => {
    assert.equal(waitSeconds({ status: 429 }), 60);
    assert.equal(waitSeconds({ status: undefined, timedOut: true }), 60);
    assert.equal(waitSeconds({ status: undefined }), 5);
    assert.equal(waitSeconds({ attempt: 2, status: 429 }), 300);
  });

  it("leaves exactly the time that is asked for when that is longer, and a day at most", () => {
    assert.equal(waitSeconds({ retryAfter: "7" }), 7);
    assert.equal(waitSeconds({ retryAfter: "7", status: 429 }), 7);
    assert.equal(waitSeconds({ retryAfter: "7", status: 429, random: 1 }), 7.25);
    assert.equal(waitSeconds({ retryAfter: "7", status: 503, random: 0.5 }), 7.125);
    assert.equal(waitSeconds({ attempt: 2, retryAfter: "7", status: 429 }), 300);
    assert.equal(waitSeconds({ retryAfter: "120" }), 120);
    assert.equal(waitSeconds({ retryAfter: " 120 " }), 120);
    assert.equal(waitSeconds({ retryAfter: "1" }), 5);
    assert.equal(waitSeconds({ retryAfter: "0" }), 5);
    assert.equal(waitSeconds({ retryAfter: "30", status: 429 }), 30);
    assert.equal(waitSeconds({ retryAfter: "0", status: 429 }), 5);
    assert.equal(waitSeconds({ retryAfter: String(2 * DAY) }), DAY);
    assert.equal(waitSeconds({ retryAfter: "9".repeat(500) }), DAY);
    assert.equal(waitSeconds({ retryAfter: "Sat, 31 Jan 2026 10:30:00 GMT" }), HOUR);
    assert.equal(waitSeconds({ retryAfter: "Sat, 31 Jan 2026 08:30:00 GMT" }), 5);
    assert.equal(waitSeconds({ retryAfter: "Thu, 31 Dec 2099 23:59:59 GMT" }), DAY);
    assert.equal(waitSeconds({ retryAfter: "120", random: 1 }), 120.25);
  });

  it("ignores what is neither seconds nor a date", () => {
    for (const retryAfter of [
      "soon",
      "-5",
      "1.5",
      "1e9",
      "0x10",
      "120, 240",
      "2026-02-01T00:00:00Z",
      "Sat, 99 Jan 2026 10:30:00 GMT",
      "Sat, 31 Jan 2026 10:30:00",
      "",
    ]) {
      assert.equal(waitSeconds({ retryAfter }), 5, retryAfter);
    }
  });

  it("property: never early, never much later, and it ends", () => {
    fc.assert(
      fc.property(anyFailure, (failure) => {
        const wait = waitSeconds(failure);
        const promised = PROMISED[failure.attempt - 1];
        if (wait === undefined) return assert.equal(promised, undefined);
        assert.ok(promised !== undefined && wait >= promised);
        assert.ok(wait <= DAY + JITTER_MAX);
      }),
      { numRuns: 1_000 },
    );
  });

  it("property: without a wish of the endpoint it stays within the jitter", () => {
    fc.assert(
      fc.property(anyFailure, (failure) => {
        const wait = waitSeconds({ ...failure, retryAfter: undefined });
        const isOverloaded = failure.status === 429 || failure.timedOut;
        const step = Math.max(PROMISED[failure.attempt - 1] ?? 0, isOverloaded ? 60 : 0);
        // Waits are rounded up to whole milliseconds.
        const latest = step + Math.min(step / 10, JITTER_MAX) + 0.001;
        assert.ok(wait === undefined || wait <= latest);
      }),
    );
  });

  it("property: a later attempt never waits less than an earlier one", () => {
    fc.assert(
      fc.property(anyFailure, (failure) => {
        const wait = waitSeconds(failure);
        const next = waitSeconds({ ...failure, attempt: failure.attempt + 1 });
        assert.ok(next === undefined || (wait !== undefined && wait <= next));
      }),
    );
  });

  it("property: an endpoint that names a time within a day is left alone until then", () => {
    fc.assert(
      fc.property(anyFailure, fc.integer({ min: 0, max: DAY }), (failure, seconds) => {
        const inSeconds = waitSeconds({ ...failure, retryAfter: String(seconds) });
        assert.ok(inSeconds === undefined || inSeconds >= seconds);
        const date = new Date(failure.now.getTime() + seconds * 1_000);
        const byDate = waitSeconds({ ...failure, retryAfter: date.toUTCString() });
        // A date in the header has whole seconds.
        assert.ok(byDate === undefined || byDate >= seconds - 1);
      }),
    );
  });

  it("property: an endpoint that asks for longer than the schedule waits a quarter second more at most", () => {
    fc.assert(
      fc.property(anyFailure, fc.integer({ min: 5, max: DAY }), (failure, seconds) => {
        const wait = waitSeconds({ ...failure, retryAfter: String(seconds) });
        const step = PROMISED[failure.attempt - 1] ?? 0;
        assert.ok(wait === undefined || seconds < step || wait <= seconds + 0.25);
      }),
    );
  });

  it("refuses to plan for an attempt that cannot have been", () => {
    for (const attempt of [0, -1, 1.5, Number.NaN]) {
      assert.throws(() => waitSeconds({ attempt }), RangeError);
    }
  });
});
