import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judge, readAnswer } from "./push.answer.ts";
import { fetchMs, laterMs, PUSHES_MAX, pauseMs } from "./push.schedule.ts";

describe("answers of Apple's push service", () => {
  const judged = (status: number, reason?: string) =>
    judge(readAnswer(status, reason === undefined ? "" : JSON.stringify({ reason })));

  it("each lead to what Apple's table of statuses asks for", () => {
    const table: readonly [number, string | undefined, string][] = [
      [200, undefined, "accepted"],
      [400, "BadDeviceToken", "bad-token"],
      [400, "DeviceTokenNotForTopic", "bad-token"],
      [400, "TopicDisallowed", "refused"],
      [400, "PayloadEmpty", "fault"],
      [400, "IdleTimeout", "later"],
      [403, "BadCertificate", "refused"],
      [403, undefined, "refused"],
      [404, "BadPath", "fault"],
      [405, "MethodNotAllowed", "fault"],
      [410, "Unregistered", "gone"],
      [413, "PayloadTooLarge", "fault"],
      [429, "TooManyRequests", "later"],
      [500, "InternalServerError", "later"],
      [503, "Shutdown", "later"],
    ];
    for (const [status, reason, verdict] of table) {
      assert.equal(judged(status, reason), verdict, `${status} ${reason}`);
    }
  });

  it("are read whatever they hold", () => {
    const goneAt = new Date(1_700_000_000_000);
    const body = JSON.stringify({ reason: "Unregistered", timestamp: goneAt.getTime() });
    assert.deepEqual(readAnswer(410, body), { status: 410, reason: "Unregistered", goneAt });
    for (const text of [
      "",
      "{",
      "null",
      "7",
      '{"reason":7}',
      '{"reason":"a b","timestamp":1e99}',
    ]) {
      const read = readAnswer(400, text);
      assert.deepEqual(read, { status: 400, reason: undefined, goneAt: undefined });
    }
  });
});

describe("the schedule of pushes", () => {
  const minutes = (ms: number) => ms / 60_000;

  it("pushes again after 15 minutes, 1, 6 and 24 hours", () => {
    const waits = Array.from({ length: PUSHES_MAX }, (_, index) => minutes(fetchMs(index + 1)));
    assert.deepEqual(waits, [15, 60, 360, 1_440, 1_440]);
  });

  it("waits longer with every failure, up to a limit", () => {
    const waits = (status: number) =>
      [1, 2, 3, 4, 50].map((count) => minutes(laterMs(count, status)));
    assert.deepEqual(waits(429), [1, 5, 15, 60, 60]);
    assert.deepEqual(waits(500), [15, 30, 60, 60, 60]);
    assert.deepEqual(waits(503), [15, 30, 60, 60, 60]);
    const pauses = [1, 2, 3, 1_000].map((count) => pauseMs("unreachable", count));
    assert.deepEqual(pauses, [2_000, 4_000, 8_000, 300_000]);
    assert.equal(minutes(pauseMs("refused", 7)), 15);
  });
});
