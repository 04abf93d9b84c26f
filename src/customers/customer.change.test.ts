import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { applyChange, isUnchanged, NOBODY } from "./customer.change.ts";
import type { CustomerUpdate } from "./customer.schema.ts";

const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const at = fc.constantFrom("2026-01-31T09:30:00.000Z", "2026-02-01T09:30:00.000Z");
const change = fc.record(
  {
    firstName: maybe(fc.constantFrom("Ada", "Grace")),
    email: maybe(fc.constantFrom("a@example.com", "b@example.com")),
    locale: maybe(fc.constantFrom("en", "fr-CH")),
    identifiers: fc.dictionary(
      fc.constantFrom("crm.id", "shop.id", "constructor.name"),
      maybe(fc.constantFrom("1", "2")),
    ),
    consents: fc.dictionary(
      fc.constantFrom("news", "terms"),
      maybe(fc.record({ granted: fc.boolean(), at }, { noNullPrototype: true })),
    ),
  },
  { requiredKeys: [] },
);

function changed(known: typeof NOBODY, sent: CustomerUpdate) {
  const result = applyChange(known, sent);
  assert.ok(result.ok);
  return result.fields;
}

describe("applyChange", () => {
  it("tells of many wrong names only some, and of long ones only the beginning", () => {
    const wrong = Array.from({ length: 500 }, (_, count) => `${count}-${"x".repeat(5_000)}`);
    const identifiers = Object.fromEntries(wrong.map((name) => [name, "1"]));
    const consent = { granted: true, at: "2026-01-31T09:30:00.000Z" };
    const consents = Object.fromEntries(wrong.map((name) => [`${name}!`, consent]));
    for (const sent of [{ identifiers }, { consents }]) {
      const result = applyChange(NOBODY, sent);
      assert.ok(!result.ok);
      assert.ok(Object.keys(result.errors).length <= 51);
      assert.ok(Object.keys(result.errors).every((field) => field.length < 100));
    }
  });

  it("sets what is sent, deletes what is null and leaves the rest", () => {
    fc.assert(
      fc.property(change, change, (first, second) => {
        const known = changed(NOBODY, first);
        const fields = changed(known, second);
        for (const name of ["firstName", "email", "locale"] as const) {
          assert.equal(fields[name], second[name] === undefined ? known[name] : second[name]);
        }
        for (const name of ["identifiers", "consents"] as const) {
          const expected = Object.entries({ ...known[name], ...second[name] });
          const left = expected.filter(([, value]) => value !== null);
          assert.deepEqual({ ...fields[name] }, Object.fromEntries(left));
        }
      }),
    );
  });

  it("changes nothing the second time", () => {
    fc.assert(
      fc.property(change, change, (first, second) => {
        const once = changed(changed(NOBODY, first), second);
        assert.ok(isUnchanged(once, changed(once, second)));
        assert.ok(isUnchanged(once, changed(once, {})));
      }),
    );
  });

  it("names every field that is wrong", () => {
    const consent = { granted: true, at: "2026-02-30T00:00:00Z" };
    const result = applyChange(NOBODY, {
      locale: "en-a",
      identifiers: { crm: "1" },
      consents: { "a b": null, late: consent },
    });
    assert.ok(!result.ok);
    assert.deepEqual(Object.keys(result.errors).sort(), [
      "consents.a b",
      "consents.late.at",
      "identifiers.crm",
      "locale",
    ]);
  });
});
