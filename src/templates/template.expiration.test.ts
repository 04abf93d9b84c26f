import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addDuration, parseDuration } from "./template.expiration.ts";

function after(start: string, text: string): string {
  const duration = parseDuration(text);
  assert.ok(duration !== undefined);
  return addDuration(new Date(start), duration).toISOString();
}

describe("durations", () => {
  it("are added by the calendar", () => {
    assert.equal(after("2026-01-15T09:30:00Z", "P2Y"), "2028-01-15T09:30:00.000Z");
    assert.equal(after("2026-01-31T00:00:00Z", "P1M"), "2026-02-28T00:00:00.000Z");
    assert.equal(after("2024-02-29T00:00:00Z", "P1Y"), "2025-02-28T00:00:00.000Z");
    assert.equal(after("2026-12-31T23:00:00Z", "P2W1DT2H30M"), "2027-01-16T01:30:00.000Z");
    assert.equal(after("2026-11-30T00:00:00Z", "P3M"), "2027-02-28T00:00:00.000Z");
  });

  it("are refused when they say nothing", () => {
    for (const text of ["", "P", "PT", "2Y", "P2", "P-1D", "P1Y2", "P1.5D"]) {
      assert.equal(parseDuration(text), undefined, text);
    }
  });
});
