import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cronProblem } from "./cron.ts";

describe("cronProblem", () => {
  for (const cron of [
    "* * * * *",
    "5 0 * * *",
    "0 8 * * 1",
    "*/15 6-22 * * mon-fri",
    "0,30 4 1,15 JAN,jul *",
    "3/20 0 29 2 7",
    "0 0 31 2 1",
    "0-30,15 * * * *",
    "*/10,30 * * * *",
    "0 0 * * 0,7",
    "0 0 * * 5-7,0",
  ]) {
    it(`takes ${cron}`, () => assert.equal(cronProblem(cron), undefined));
  }

  const refused: readonly [string, RegExp][] = [
    ["", /five fields/],
    ["* * * *", /five fields/],
    ["0 0 * * * *", /five fields/],
    ["@daily", /five fields/],
    ["60 * * * *", /'60' for the minute/],
    ["0 24 * * *", /'24' for the hour/],
    ["0 0 0 * *", /'0' for the day of the month/],
    ["0 0 * 13 *", /'13' for the month/],
    ["0 0 * * 8", /'8' for the day of the week/],
    ["*/0 * * * *", /for the minute/],
    ["30-10 * * * *", /for the minute/],
    ["1,,2 * * * *", /for the minute/],
    ["0 0 * foo *", /'foo' for the month/],
    ["0 0 * janfeb *", /'janfeb' for the month/],
    ["0 0 * 1jan *", /'1jan' for the month/],
    ["0 0 * * sun1", /'sun1' for the day of the week/],
    ["1* * * * *", /'1\*' for the minute/],
    ["0 2* * * *", /'2\*' for the hour/],
    ["*/100 * * * *", /for the minute/],
    ["0 0 L * *", /'L' for the day of the month/],
    ["0 0 30 2 *", /no year has/],
    ["0 0 31 4,6,9,11 *", /no year has/],
  ];
  for (const [cron, problem] of refused) {
    it(`refuses ${cron || "nothing"}`, () => assert.match(cronProblem(cron) ?? "", problem));
  }
});
