import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { startProcessorClock } from "#test/support/slowness.ts";
import { PATTERN_LENGTH_MAX, PATTERNS_MAX } from "./event.pattern.ts";
import { findUnmatched } from "./event.suggestion.ts";

const EVENTS = [
  "customer.deleted",
  "pass.created",
  "pass.updated",
  "privilege.moved",
  "store.*.created",
  "store.*.updated",
  "webhook.disabled",
];

const nearestOf = (pattern: string) => findUnmatched([pattern], EVENTS)[0]?.nearest;

describe("patterns that no event can match", () => {
  it("are not those that cover an event, or one of any store", () => {
    const good = [
      ...["pass.created", "pass.*", "pass*", "p*", "*", "*.*", "*.created", "Pass:Created"],
      ...["store.berlin.updated", "store.*.up*", "store.*", "store.berlin*", "store.berlin.*"],
      ...["*.*.updated", "customer.del*", "privilege.*"],
    ];
    assert.deepEqual(findUnmatched(good, EVENTS), []);
  });

  it("come with the nearest name", () => {
    const mistyped: Readonly<Record<string, string>> = {
      "pass.craeted": "pass.created",
      "pass.create": "pass.created",
      passcreated: "pass.created",
      "PASS:UPDATE": "pass.updated",
      "passes.updated": "pass.updated",
      "pasn.*": "pass.created",
      "costumer.*": "customer.deleted",
      "store.berlin.updatet": "store.*.updated",
      "store.*.create": "store.*.created",
      "store.updated": "store.*.updated",
      "webhok*": "webhook.disabled",
      "*.movd": "privilege.moved",
      privilege: "privilege.moved",
    };
    for (const [pattern, nearest] of Object.entries(mistyped)) {
      assert.equal(nearestOf(pattern), nearest, pattern);
    }
    for (const other of ["scan.recorded", "device.*", "import.completed", "moon.walk"]) {
      assert.equal(nearestOf(other), null, other);
    }
    assert.deepEqual(findUnmatched(["pass.*", "pass.gone", "scan.*"], EVENTS).length, 2);
    assert.deepEqual(findUnmatched(["a.b"], []), [{ pattern: "a.b", nearest: null }]);
  });

  it("property: a name with one letter changed leads back to that name", () => {
    const name = fc.constantFrom("customer.deleted", "privilege.moved", "webhook.disabled");
    fc.assert(
      fc.property(name, fc.nat(100), (right, at) => {
        const place = at % right.length;
        const wrong = `${right.slice(0, place)}0${right.slice(place + 1)}`;
        assert.equal(nearestOf(wrong), right);
      }),
    );
  });

  it("are compared by their first 40 characters alone, because no event name is longer", () => {
    const name = "a-name-of-an-event.of-36-characters-";
    const noise = "x".repeat(PATTERN_LENGTH_MAX - name.length);
    assert.equal(findUnmatched([name + noise], [name])[0]?.nearest, name);
    assert.equal(
      findUnmatched([`yyyyyyyyy${name}${noise}`.slice(0, 200)], [name])[0]?.nearest,
      null,
    );
  });

  it("takes less than 50 ms for the worst that a webhook can hold", () => {
    const names = Array.from({ length: 60 }, (_none, at) => `resource-${at}.happened-so`);
    for (const pattern of ["x".repeat(PATTERN_LENGTH_MAX), `${"r.".repeat(99)}*`, "*.*.x-.x"]) {
      const patterns = Array.from({ length: PATTERNS_MAX }, () => pattern);
      // The first try compiles the code, and one of the others is not kept up by garbage collection.
      const tries = Array.from({ length: 4 }, () => {
        const spentMs = startProcessorClock();
        assert.equal(findUnmatched(patterns, names).length, PATTERNS_MAX);
        return spentMs();
      });
      assert.ok(Math.min(...tries) < 50, `${tries} ms for ${pattern}`);
    }
  });
});
