import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  compilePatterns,
  createMatcher,
  PATTERN_LENGTH_MAX,
  PATTERNS_MAX,
  patternProblem,
  type Subscription,
} from "./event.pattern.ts";

/** The rules of the contract, written plainly and without regard to speed. */
function covers(pattern: string[], name: string[]): boolean {
  const [wanted, ...laterWanted] = pattern;
  const [part, ...laterParts] = name;
  if (wanted === undefined || part === undefined) return wanted === part;
  if (laterWanted.length === 0) {
    if (wanted === "*") return true;
    if (wanted.endsWith("*")) return part.startsWith(wanted.slice(0, -1));
  }
  return (wanted === "*" || wanted === part) && covers(laterWanted, laterParts);
}

function isCovered(pattern: string, name: string): boolean {
  const parts = (text: string) => text.toLowerCase().replaceAll(":", ".").split(".");
  return covers(parts(pattern), parts(name));
}

// Few letters and short words, so that many names match and many nearly match.
const word = fc.string({ unit: fc.constantFrom("a", "b", "A", "-"), minLength: 1, maxLength: 3 });
const separator = fc.constantFrom(".", ".", ":");

function joined(parts: fc.Arbitrary<string[]>): fc.Arbitrary<string> {
  return fc
    .tuple(parts, fc.array(separator, { minLength: 8, maxLength: 8 }))
    .map(([words, between]) =>
      words.reduce((text, next, at) => (at === 0 ? next : `${text}${between[at]}${next}`), ""),
    );
}

const eventName = joined(fc.array(word, { minLength: 1, maxLength: 4 }));
const inner = fc.oneof(word, fc.constant("*"));
const last = fc.oneof(
  word,
  fc.constant("*"),
  word.map((text) => `${text}*`),
);
const pattern = joined(
  fc.tuple(fc.array(inner, { maxLength: 3 }), last).map(([before, end]) => [...before, end]),
);
const subscription: fc.Arbitrary<Subscription> = fc.record({
  id: fc.uuid(),
  patterns: fc.array(pattern, { minLength: 1, maxLength: 5 }),
});

describe("a pattern", () => {
  const yes: readonly [string, string][] = [
    ["pass.created", "pass.created"],
    ["pass.*", "pass.created"],
    ["pass.*", "pass.a.b"],
    ["pass.cre*", "pass.created"],
    ["pass.cre*", "pass.cre.ated"],
    ["pass.created*", "pass.created"],
    ["pass*", "pass.created"],
    ["pass*", "passes.a.b"],
    ["pa*", "pass"],
    ["store.*.up*", "store.12.updated.again"],
    ["store.*.updated", "store.12.updated"],
    ["store.*.up*", "store.12.updated"],
    ["*.created", "customer.created"],
    ["*.*", "pass.created"],
    ["*", "pass"],
    ["*", "store.12.updated"],
    ["Pass:Created", "pass.created"],
    ["pass.CRE*", "PASS:created"],
  ];
  for (const [wanted, name] of yes) {
    it(`${wanted} covers ${name}`, () => assert.equal(compilePatterns([wanted])(name), true));
  }

  const no: readonly [string, string][] = [
    ["pass.created", "pass.createds"],
    ["pass.created", "pass"],
    ["pass", "pass.created"],
    ["pass.*", "pass"],
    ["pass.*", "passes.created"],
    ["pass.created*", "pass.create"],
    ["pass*", "compass.created"],
    ["pass.cre*", "pass.x.created"],
    ["store.*.up*", "store.updated"],
    ["store.*.updated", "store.updated"],
    ["store.*.updated", "store.1.2.updated"],
    ["*.*", "pass"],
    ["*.created", "created"],
  ];
  for (const [wanted, name] of no) {
    it(`${wanted} does not cover ${name}`, () =>
      assert.equal(compilePatterns([wanted])(name), false));
  }

  it("property: covers what the contract says, alone and with others", () => {
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 5 }), eventName, (patterns, name) => {
        const expected = patterns.some((one) => isCovered(one, name));
        assert.equal(compilePatterns(patterns)(name), expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it("property: covers itself, where it has no *", () => {
    fc.assert(fc.property(eventName, (name) => assert.ok(compilePatterns([name])(name))));
  });

  it("is refused with a * elsewhere, empty parts, strange characters or too many of them", () => {
    const stars = ["**", "****", "*a", "a*b", "a*.b", "pass.*cre", "pass.c*e*", "pass.**"];
    const empty = ["", ".", "pass.", ".pass", "pass..created", "pass:.created", "*."];
    const strange = ["pass created", "pass/created", "pässe", "pass.\u212aey", "pass\n", "(a+)+$"];
    const long = ["a".repeat(PATTERN_LENGTH_MAX + 1), Array(10_000).fill("*").join(".")];
    for (const text of [...stars, ...empty, ...strange, ...long]) {
      assert.match(patternProblem(text) ?? "", /^must /, text);
      assert.throws(() => compilePatterns([text]), TypeError, text);
      assert.throws(() => createMatcher([{ id: "x", patterns: [text] }]), TypeError, text);
    }
    assert.equal(patternProblem("a".repeat(PATTERN_LENGTH_MAX)), undefined);
  });
});

describe("the matcher of many subscriptions", () => {
  it("property: gives those that the contract says, in their order, each once, again and again", () => {
    const all = fc.array(subscription, { maxLength: 12 });
    const names = fc.array(eventName, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(all, names, (subscriptions, heard) => {
        const matcher = createMatcher(subscriptions);
        for (const name of [...heard, ...heard]) {
          const expected = subscriptions
            .filter(({ patterns }) => patterns.some((one) => isCovered(one, name)))
            .map(({ id }) => id);
          assert.deepEqual(matcher.match(name), expected);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("does not take a * in the name of an event for one of its own", () => {
    const matcher = createMatcher([{ id: "rest", patterns: ["a.*"] }]);
    assert.deepEqual(matcher.match("a"), []);
    assert.deepEqual(matcher.match("a.*"), ["rest"]);
    const exact = createMatcher([{ id: "exact", patterns: ["a.b.c"] }]);
    assert.deepEqual(exact.match("a.*.c"), []);
  });

  const kinds = (at: number) => [
    ...["*", "store.*", `store.shop-${at}.*`, `store.shop-${at}.updated`, "*.*", "*.*.updated"],
    ...["store.*.updated", "store.*.up*", `*.shop-${at}.up*`, "*.*.*", `*.shop-${at}.*`],
  ];
  const many = (count: number) =>
    Array.from({ length: count }, (_none, at) => ({ id: `${at}`, patterns: kinds(at) }));

  it("does no more work for a thousand subscriptions than for one", () => {
    const [one, thousand] = [createMatcher(many(1)), createMatcher(many(1_000))];
    for (const name of ["store.shop-0.updated", "store.shop-999.deleted", "pass.created"]) {
      one.match(name);
      thousand.match(name);
    }
    assert.equal(one.lookups, thousand.lookups);
    assert.ok(one.lookups <= 3 * kinds(0).length);
  });

  it("does no work for a name it has seen lately", () => {
    const matcher = createMatcher(many(10));
    matcher.match("pass.created");
    const { lookups } = matcher;
    for (let count = 0; count < 1_000; count += 1) matcher.match("pass.created");
    assert.equal(matcher.lookups, lookups);
  });

  it("does no more work than there are patterns, however long the name and hostile the patterns", () => {
    const depth = PATTERN_LENGTH_MAX / 2;
    const patterns = Array.from({ length: PATTERNS_MAX }, (_none, at) =>
      Array.from({ length: depth }, (_same, place) => ((at + place) % 3 === 0 ? "a" : "*")).join(
        ".",
      ),
    );
    const subscriptions = Array.from({ length: 100 }, (_none, at) => ({ id: `${at}`, patterns }));
    const matcher = createMatcher(subscriptions);
    const names = [depth, depth - 1, 10_000].map((length) => Array(length).fill("a").join("."));
    for (const name of names) {
      assert.equal(
        matcher.match(name).length,
        patterns.some((one) => isCovered(one, name)) ? 100 : 0,
      );
    }
    assert.ok(matcher.lookups <= names.length * PATTERNS_MAX);
  });

  it("finds 100,000 events for 1,000 subscriptions in less than 2 s of one core", (t) => {
    const matcher = createMatcher(
      many(1_000).map((one) => ({ ...one, patterns: one.patterns.slice(2, 4) })),
    );
    const before = process.threadCpuUsage();
    let found = 0;
    for (let at = 0; at < 100_000; at += 1) {
      found += matcher.match(`store.shop-${at}.updated`).length;
    }
    const { user, system } = process.threadCpuUsage(before);
    const seconds = (user + system) / 1e6;
    t.diagnostic(`${seconds.toFixed(2)} s`);
    assert.equal(found, 1_000);
    assert.ok(seconds < 2, `${seconds} s`);
  });
});
