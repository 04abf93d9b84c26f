import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  ATTEMPTS_MAX,
  FAILING_DAYS_MAX,
  planRetry,
} from "#src/webhooks/deliveries/delivery.schedule.ts";
import { deliveryHeaders, makeSigningKey } from "#src/webhooks/deliveries/delivery.signature.ts";
import { ROOT } from "../support/sources.ts";

const page = readFileSync(join(ROOT, "docs/webhooks.md"), "utf8");

const UNITS: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, hours: 3_600 };

/** The wait that the schedule plans after a failed attempt. */
function plannedSeconds(attempt: number): number | undefined {
  const now = new Date("2026-01-31T09:30:00.000Z");
  const plain = { random: 0, retryAfter: undefined, status: 500, timedOut: false };
  const waitMs = planRetry({ attempt, now, ...plain });
  return waitMs === undefined ? undefined : waitMs / 1_000;
}

describe("docs/webhooks.md", () => {
  it("promises the waits that the schedule has", () => {
    const rows = [...page.matchAll(/^\| (\d+) \| (?:(\d+) (\w+)|none.*) \|$/gm)];
    assert.equal(rows.length, ATTEMPTS_MAX);
    for (const [row, attempt, count, unit = ""] of rows) {
      const promised =
        count === undefined ? undefined : Number(count) * (UNITS[unit] ?? Number.NaN);
      assert.equal(plannedSeconds(Number(attempt)), promised, row);
    }
    assert.ok(page.includes(`**${FAILING_DAYS_MAX} days**`));
  });

  it("shows every header of a delivery, and no other", () => {
    const example = /```http\nPOST [^\n]*\n(.*?)\n\n/s.exec(page)?.[1] ?? "";
    const shown = example.split("\n").map((line) => line.slice(0, line.indexOf(":")));
    const sent = deliveryHeaders({
      eventId: "evt_1",
      eventName: "pass.created",
      tenantId: "acme",
      timestampSeconds: 1,
      body: "{}",
      keys: [makeSigningKey("c2VjcmV0")],
    });
    assert.deepEqual(shown.sort(), Object.keys(sent).sort());
  });

  it("and its neighbours refer to pages that exist", () => {
    for (const name of ["webhooks.md", "events.md", "findings.md"]) {
      const text = readFileSync(join(ROOT, "docs", name), "utf8");
      for (const [, target = ""] of text.matchAll(/\]\(([\w./-]+\.md)[^)]*\)/g)) {
        assert.ok(readFileSync(join(ROOT, "docs", target), "utf8").length > 0, target);
      }
    }
  });
});
