import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonObject } from "#src/templates/language/public.ts";
import {
  announcedHash,
  type ClassFacts,
  differingFacts,
  type Facts,
  factName,
  factsOf,
  hashesOf,
  hashOf,
  mergeFacts,
  type PassFacts,
  withFacts,
} from "./class.facts.ts";

const START = "dateTime.start";
const NOTHING: ClassFacts = { facts: {}, sources: {}, pastFacts: [] };
const at = (minute: number) => new Date(Date.UTC(2027, 0, 1, 0, minute));

/** A pass of an event, and what was last taken from it. */
const pass = (facts: Facts, more: Partial<PassFacts> = {}): PassFacts => ({
  ...{ passId: "one", facts, before: null, isChanged: true, since: at(0) },
  ...more,
});
const after = (known: ClassFacts, one: PassFacts): ClassFacts =>
  mergeFacts("eventTicket", known, one) ?? known;

const text = fc.constantFrom("a", "b", "c");
const someFacts = fc.record(
  {
    [START]: text,
    "dateTime.end": text,
    venue: fc.record({ name: text, address: text }, { noNullPrototype: true }),
    eventName: text,
    "dateTime.doorsOpen": text,
  },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<Facts>;
const someHashes = fc.option(someFacts.map(hashesOf), { nil: null });
const somePass = fc.record({
  passId: text,
  facts: someFacts,
  before: someHashes,
  isChanged: fc.boolean(),
  since: fc.integer({ min: 0, max: 9 }).map(at),
});
const someClass = fc
  .array(somePass, { maxLength: 4 })
  .map((passes) => passes.reduce(after, NOTHING));

describe("the facts of a class", () => {
  it("are read from its content and written into it, and nothing else changes", () => {
    const content = {
      eventName: { defaultValue: { language: "en", value: "Concert" } },
      dateTime: { start: "2027-05-01T20:00:00+02:00", doorsOpenLabel: "DOORS_OPEN" },
      logo: { sourceUri: { uri: "https://example.com" } },
    };
    const facts = factsOf("eventTicket", content);
    assert.deepEqual(Object.keys(facts), ["eventName", START]);
    assert.deepEqual(withFacts("eventTicket", content, facts), content);
    assert.deepEqual(withFacts("eventTicket", content, {}), {
      dateTime: { doorsOpenLabel: "DOORS_OPEN" },
      logo: content.logo,
    });
    const gate = { "origin.gate": "B7" };
    const flight = { origin: { airportIataCode: "ZRH" } };
    assert.deepEqual(withFacts("flight", flight, { ...factsOf("flight", flight), ...gate }), {
      origin: { airportIataCode: "ZRH", gate: "B7" },
    });
    assert.deepEqual(withFacts("flight", flight, {}), {}, "an empty member is none");
  });

  it("make the same content of every pass, in the same order of names", () => {
    fc.assert(
      fc.property(someFacts, someFacts, someFacts, (facts, one, other) => {
        const [first, second] = [one, other].map((own) =>
          JSON.stringify(withFacts("eventTicket", withFacts("eventTicket", {}, own), facts)),
        );
        assert.equal(first, second);
      }),
    );
  });

  it("have the same hash in every order of names, as the database keeps none", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const reversed = (one: unknown): unknown =>
          Array.isArray(one)
            ? one.map(reversed)
            : typeof one === "object" && one !== null
              ? Object.fromEntries(
                  Object.entries(one as JsonObject)
                    .reverse()
                    .map(([name, inner]) => [name, reversed(inner)]),
                )
              : one;
        assert.equal(hashOf(reversed(value)), hashOf(value));
      }),
    );
  });

  it("are those of a pass that was changed, as far as it was changed", () => {
    fc.assert(
      fc.property(someClass, someFacts, someFacts, (known, before, facts) => {
        const merged = after(known, pass(facts, { before: hashesOf(before), since: at(99) }));
        const [was, is] = [hashesOf(before), hashesOf(facts)];
        for (const path of new Set([...Object.keys(was), ...Object.keys(is)])) {
          const expected = was[path] === is[path] ? known.facts[path] : facts[path];
          assert.deepEqual(merged.facts[path], expected, path);
        }
      }),
    );
  });

  it("are those of the pass that was changed last, whichever is looked at first", () => {
    const first = { [START]: "20:00", eventName: "Concert" };
    const before = hashesOf(first);
    const begun = after(NOTHING, pass(first));
    const earlier = pass({ ...first, [START]: "21:00" }, { before, since: at(1) });
    const later = pass({ ...first, [START]: "22:00" }, { before, since: at(2) });
    const named = pass({ ...first, eventName: "Gala" }, { before, since: at(1) });
    for (const order of [
      [earlier, later, named],
      [later, named, earlier],
      [named, later, earlier],
    ]) {
      const { facts } = order.reduce(after, begun);
      assert.deepEqual(facts, { [START]: "22:00", eventName: "Gala" });
    }
  });

  it("change once for a pass, however often it is sent", () => {
    fc.assert(
      fc.property(someClass, somePass, (known, one) => {
        const merged = after(known, one);
        const again = { ...one, before: hashesOf(one.facts) };
        assert.equal(mergeFacts("eventTicket", merged, again), undefined);
        assert.equal(mergeFacts("eventTicket", merged, { ...again, isChanged: false }), undefined);
      }),
    );
  });

  it("are never cleared by a pass of which nothing was taken so far", () => {
    fc.assert(
      fc.property(someClass, someFacts, fc.boolean(), (known, facts, isChanged) => {
        const merged = after(known, pass(facts, { isChanged, since: at(99) }));
        for (const path of Object.keys(known.facts)) assert.ok(path in merged.facts, path);
      }),
    );
  });

  it("of before a change come back by no pass that is new here, late as it may be, but by a change", () => {
    const first = { [START]: "20:00" };
    const begun = after(NOTHING, pass(first));
    const moved = after(
      begun,
      pass({ [START]: "21:00" }, { before: hashesOf(first), since: at(1) }),
    );
    assert.equal(moved.facts[START], "21:00");
    const late = pass(first, { since: at(2) });
    assert.equal(mergeFacts("eventTicket", moved, late), undefined);
    const later = after(moved, pass({ [START]: "22:00" }, { since: at(3) }));
    assert.equal(later.facts[START], "22:00", "a new ticket may be the first with the new time");
    const cleared = after(later, pass({}, { before: hashesOf(later.facts), since: at(3) }));
    assert.deepEqual(cleared.facts, {});
    const unaware = pass({ [START]: "22:00" }, { since: at(9) });
    assert.equal(mergeFacts("eventTicket", cleared, unaware), undefined, "nor what was cleared");
    const back = pass(first, { before: hashesOf({ [START]: "21:00" }), since: at(4) });
    assert.equal(after(later, back).facts[START], "20:00");
  });

  it("follow newer files with a pass that had the fact of the class, and with no other", () => {
    const known = { ...NOTHING, facts: { eventName: "Concert", [START]: "21:00" } };
    const before = hashesOf({ eventName: "Concert", [START]: "20:00" });
    const renamed = { eventName: "Great Concert", [START]: "20:00+01:00" };
    const merged = after(known, pass(renamed, { before, isChanged: false }));
    assert.deepEqual(merged.facts, { eventName: "Great Concert", [START]: "21:00" });
  });

  it("that holders are notified of are times, place and status, and not when the doors open", () => {
    const hash = (facts: Facts) => announcedHash("eventTicket", facts);
    assert.equal(hash({ [START]: "a", "dateTime.doorsOpen": "b" }), hash({ [START]: "a" }));
    assert.notEqual(hash({ [START]: "a" }), hash({}));
    assert.equal(announcedHash("loyalty", {}), announcedHash("loyalty", { anything: 1 }));
  });

  it("that no pass has any more give way to what any pass has", () => {
    const first = { [START]: "20:00" };
    const wrong = after(after(NOTHING, pass(first)), pass({ [START]: "9:00" }, { since: at(1) }));
    const late = pass(first, { before: hashesOf(first), isChanged: false });
    assert.equal(mergeFacts("eventTicket", wrong, late), undefined);
    const [differing, ...more] = differingFacts("eventTicket", wrong, late);
    assert.ok(differing !== undefined && more.length === 0);
    const orphans = new Set([factName(differing.path, differing.hash)]);
    const right = mergeFacts("eventTicket", wrong, late, orphans);
    assert.deepEqual([right?.facts, right?.pastFacts], [first, []]);
    assert.deepEqual(mergeFacts("eventTicket", wrong, pass({}), orphans)?.facts, {});
  });

  it("remember a bounded number of those before", () => {
    let known = NOTHING;
    for (let change = 0; change < 300; change += 1) {
      const before = hashesOf(known.facts);
      known = after(known, pass({ [START]: String(change) }, { before, since: at(change) }));
    }
    assert.equal(known.pastFacts.length, 100);
    assert.equal(known.facts[START], "299");
  });
});
