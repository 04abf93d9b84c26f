import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type PlannedTask, startWorkers, type Workers } from "./schedule-day.ts";

const TASKS: readonly PlannedTask[] = [
  { id: "minutes", cron: "* * * * *", zone: "Europe/Berlin" },
  { id: "hours", cron: "30 * * * *", zone: "Europe/Berlin" },
  { id: "berlin", cron: "30 2 * * *", zone: "Europe/Berlin" },
  { id: "lisbon", cron: "30 1 * * *", zone: "Europe/Lisbon" },
  { id: "beirut", cron: "15 0 * * *", zone: "Asia/Beirut" },
  { id: "quarters", cron: "*/15 1-3 * * *", zone: "Europe/Paris" },
  { id: "tokyo", cron: "0 9 * * *", zone: "Asia/Tokyo" },
];

const minutesFrom = (from: string, count: number, stepMinutes = 1) =>
  Array.from({ length: count }, (_, at) =>
    new Date(Date.parse(from) + (at + 1) * stepMinutes * 60_000).toISOString().slice(0, 16),
  );

describe("two worker processes, minute by minute", () => {
  let workers: Workers;
  /** In the order that processes need: the last one first. */
  const undos: (() => Promise<void>)[] = [];
  before(async () => {
    workers = await startWorkers({ after: (undo) => void undos.unshift(undo) });
  });
  after(async () => {
    for (const undo of undos) await undo();
  });

  it("run each time once on the day on which clocks go forward", async (t) => {
    const day = ["2026-03-28T12:00Z", "2026-03-29T12:00Z"] as const;
    const { runs, ends, told, ...facts } = await workers.runDay("spring", TASKS, day);
    t.diagnostic(JSON.stringify({ ends, told, ...facts }));
    assert.deepEqual(runs, {
      minutes: minutesFrom("2026-03-28T12:00Z", 1_440),
      hours: minutesFrom("2026-03-28T11:30Z", 24, 60),
      // It skips 2:30, and runs when 3:00 begins.
      berlin: ["2026-03-29T01:00"],
      lisbon: ["2026-03-29T01:00"],
      beirut: ["2026-03-28T22:00"],
      quarters: [
        ...minutesFrom("2026-03-28T23:45Z", 4, 15),
        ...minutesFrom("2026-03-29T00:45Z", 4, 15),
      ],
      tokyo: ["2026-03-29T00:00"],
    });
    const count = Object.values(runs).flat().length;
    assert.deepEqual([ends, told], [{ "succeeded schedule 1": count }, { "1": count }]);
    assert.ok(facts.runsHere > 0 && facts.runsHere < count, "both processes ran some");
  });

  it("run each time once in the hours in which clocks go back", async (t) => {
    const hours = ["2026-10-24T20:00Z", "2026-10-25T04:00Z"] as const;
    const { runs, ends, told, ...facts } = await workers.runDay("autumn", TASKS, hours);
    t.diagnostic(JSON.stringify({ ends, told, ...facts }));
    assert.deepEqual(runs, {
      minutes: minutesFrom("2026-10-24T20:00Z", 480),
      hours: minutesFrom("2026-10-24T19:30Z", 8, 60),
      // 2:30 comes twice, and counts the first time.
      berlin: ["2026-10-25T00:30"],
      lisbon: ["2026-10-25T00:30"],
      beirut: ["2026-10-24T22:15"],
      quarters: [
        ...minutesFrom("2026-10-24T22:45Z", 8, 15),
        ...minutesFrom("2026-10-25T01:45Z", 4, 15),
      ],
      tokyo: ["2026-10-25T00:00"],
    });
    const count = Object.values(runs).flat().length;
    assert.deepEqual([ends, told], [{ "succeeded schedule 1": count }, { "1": count }]);
    assert.ok(facts.runsHere > 0 && facts.runsHere < count, "both processes ran some");
  });
});
