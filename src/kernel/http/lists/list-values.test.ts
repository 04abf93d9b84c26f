import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isDatabaseTime, parseTimestamp, readFilterValue } from "./list-values.ts";

function read(type: Parameters<typeof readFilterValue>[0], input: string): string | undefined {
  const result = readFilterValue(type, input);
  return result.ok ? result.value : undefined;
}

describe("readFilterValue", () => {
  it("keeps every digit of a decimal", () => {
    for (const text of ["0", "-1", "007", "999999999999999.123456789012345"]) {
      assert.equal(read("number", text), text);
    }
  });

  it("refuses what is not a plain decimal", () => {
    const bad = [
      "",
      "-",
      "1.",
      ".5",
      "1e3",
      "0x1",
      "NaN",
      "Infinity",
      "1 ",
      "1,5",
      "1".repeat(16),
      "١",
    ];
    for (const text of bad) assert.equal(read("number", text), undefined, text);
  });

  it("reads a date, or a date and time with offset, as UTC milliseconds", () => {
    const cases = {
      "2024-02-29": "2024-02-29T00:00:00.000Z",
      "2024-02-29T12:30Z": "2024-02-29T12:30:00.000Z",
      "2024-02-29T12:30:15.1239Z": "2024-02-29T12:30:15.123Z",
      "2024-02-29T12:30:15.001Z": "2024-02-29T12:30:15.001Z",
      "2024-02-29T00:30:00+01:00": "2024-02-28T23:30:00.000Z",
      "2024-02-29T00:30:00 01:00": "2024-02-28T23:30:00.000Z",
      "2024-02-29T00:30:00-0530": "2024-02-29T06:00:00.000Z",
      "2024-02-29 00:30:00+00": "2024-02-29T00:30:00.000Z",
      "0001-01-01": "0001-01-01T00:00:00.000Z",
      "2024-02-29t12:30:15.5z": "2024-02-29T12:30:15.500Z",
      "2024-02-29t00:30:00+01:00": "2024-02-28T23:30:00.000Z",
      "2024-02-29T00:00:00+15:00": "2024-02-28T09:00:00.000Z",
      "2024-02-29T00:00:00+23:59": "2024-02-28T00:01:00.000Z",
      "2024-02-29T00:00:00-23:59": "2024-02-29T23:59:00.000Z",
    };
    for (const [text, expected] of Object.entries(cases)) {
      assert.equal(read("timestamp", text), expected, text);
    }
  });

  it("refuses dates that do not exist and times without offset", () => {
    const bad = ["", "now", "2023-02-29", "2024-13-01", "2024-00-10", "2024-01-32", "2024-01-00"];
    bad.push("2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:60Z", "0000-01-01");
    bad.push("2024-01-01T00:00:00", "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00+01:60");
    bad.push("0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "20240101", "1704067200000");
    bad.push("2016-12-31T23:59:60Z", "2016-12-31t23:59:60z", "2024-01-01t00:00:00", "2024-01-01z");
    bad.push("0001-01-01T23:58:00+23:59", "9999-12-31T00:01:00-23:59");
    bad.push("infinity", "2024-01-01T00:00:00.1234567890Z");
    for (const text of bad) assert.equal(read("timestamp", text), undefined, text);
  });

  it("takes booleans as two words only", () => {
    assert.equal(read("boolean", "true"), "true");
    assert.equal(read("boolean", "false"), "false");
    for (const text of ["", "TRUE", "1", "yes"]) assert.equal(read("boolean", text), undefined);
  });

  it("takes any text the database can hold, the empty one too", () => {
    for (const text of ["", "a%_\\b", "'; drop table pass; --", "😀", "x".repeat(1000)]) {
      assert.equal(read("text", text), text);
      assert.equal(read("id", text), text);
    }
    for (const text of ["a\u0000", "\ud83d", "x".repeat(1001)]) {
      assert.equal(read("text", text), undefined);
    }
  });

  const dates = fc.date({
    min: new Date("0001-01-01T00:00:00.000Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  });

  it("property: every instant is read at each offset, in either case, and reaches SQL in UTC", () => {
    const offsets = fc.integer({ min: -1_439, max: 1_439 });
    fc.assert(
      fc.property(dates, offsets, fc.boolean(), (date, offset, isLower) => {
        const wall = new Date(date.getTime() + offset * 60_000);
        const year = wall.getUTCFullYear();
        fc.pre(year >= 1 && year <= 9999);
        const sign = offset < 0 ? "-" : "+";
        const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
        const clock = [hours, minutes].map((part) => String(part).padStart(2, "0")).join(":");
        const text = wall.toISOString().replace("Z", `${sign}${clock}`);
        const sent = isLower ? text.toLowerCase() : text;
        assert.equal(read("timestamp", sent), date.toISOString(), sent);
        assert.equal(isDatabaseTime(sent), hours < 16, sent);
        assert.equal(parseTimestamp(date.toISOString().toLowerCase()), date.getTime());
      }),
    );
  });

  it("property: every instant JavaScript can write is read back", () => {
    fc.assert(
      fc.property(dates, (date) =>
        assert.equal(parseTimestamp(date.toISOString()), date.getTime()),
      ),
    );
  });
});
