import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startApi } from "#test/support/start-api.ts";
import { createLog } from "../log.ts";
import { ServerClock } from "./server-clock.ts";

const api = await startApi({ after });
const log = createLog({ level: "silent" });
const HOUR_MS = 3_600_000;

describe("the clock of a node", () => {
  for (const [how, offMs] of [
    ["an hour ahead", HOUR_MS],
    ["an hour behind", -HOUR_MS],
    ["right", 0],
  ] as const) {
    it(`tells the time of the database where that of the machine is ${how}`, async (t) => {
      const own = { now: () => new Date(Date.now() + offMs) };
      const clock = new ServerClock(own, log);
      t.after(await clock.follow(api.runtime.db));
      const differsMs = Math.abs(clock.now().getTime() - Date.now());
      assert.ok(differsMs < 2_000, `${differsMs} ms`);
      if (offMs === 0) assert.ok(differsMs < 100, "it is not changed by the time an answer takes");
    });
  }

  it("is asked for again at once where the first answer took too long to tell", async (t) => {
    let asked = 0;
    const slowOnce = { now: () => new Date(Date.now() - HOUR_MS + (asked++ === 0 ? -5_000 : 0)) };
    const clock = new ServerClock(slowOnce, log);
    t.after(await clock.follow(api.runtime.db));
    assert.ok(Math.abs(clock.now().getTime() - Date.now()) < 2_000);
  });

  it("stays as it is where each answer took too long to tell", async (t) => {
    let asked = 0;
    const own = { now: () => new Date(1_000_000_000_000 + 5_000 * asked++) };
    const clock = new ServerClock(own, log);
    t.after(await clock.follow(api.runtime.db));
    assert.ok(clock.now().getTime() < 1_000_000_100_000);
  });
});
