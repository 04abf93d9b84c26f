import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import Type, { type TSchema } from "typebox";
import { misfits } from "./misfit.ts";
import { fieldErrors } from "./validation.ts";
import { validatorFor } from "./validator.ts";

function reasons(schema: TSchema, value: unknown): Record<string, string> {
  return Object.fromEntries(
    [...misfits(schema, value)].map(({ field, reason }) => [field, reason] as const),
  );
}

describe("misfits", () => {
  it("name the kinds that a union takes, and null only where it is one of them", () => {
    const Maybe = Type.Union([Type.String({ maxLength: 3 }), Type.Null()]);
    assert.deepEqual(reasons(Maybe, 5), { "": "must be a string or null" });
    assert.deepEqual(reasons(Maybe, "long"), { "": "must not have more than 3 characters" });
    assert.deepEqual(reasons(Maybe, null), {});
    const State = Type.Union([Type.Enum(["gone", "failing"]), Type.Null()]);
    assert.deepEqual(reasons(State, "x"), { "": 'must be one of "gone", "failing" or null' });
  });

  it("tell what keeps the nearest form of a union from fitting", () => {
    const File = Type.Union([
      Type.String(),
      Type.Object({ base64: Type.String() }, { additionalProperties: false }),
    ]);
    assert.deepEqual(reasons(File, { base64: 5 }), { base64: "must be a string" });
    assert.deepEqual(reasons(File, { text: "" }), {
      base64: "is required",
      text: "is not a known property",
    });
    assert.deepEqual(reasons(File, 5), { "": "must be a string or an object" });
  });

  it("do not look into what has the wrong kind or is too long", () => {
    const Few = Type.Array(Type.String(), { maxItems: 2 });
    assert.deepEqual(reasons(Few, [1, 2, 3]), { "": "must not have more than 2 entries" });
    assert.deepEqual(reasons(Few, { a: 1 }), { "": "must be a list" });
  });

  it("say in words what a pattern asks for, and never the pattern", () => {
    const Word = Type.String({ pattern: "^[a-z]+$", mustBe: "lower-case letters" });
    assert.deepEqual(reasons(Word, "A"), { "": "must be lower-case letters" });
    const Bare = Type.String({ pattern: "^[a-z]+$" });
    assert.deepEqual(reasons(Bare, "A"), { "": "must be written in another form" });
  });

  it("take the words of a refinement", () => {
    const Even = Type.Refine(
      Type.Integer(),
      (value) => value % 2 === 0,
      () => "must be even",
    );
    assert.deepEqual(reasons(Even, 3), { "": "must be even" });
    assert.deepEqual(reasons(Even, "3"), { "": "must be a whole number" });
  });

  it("are told for at most 50 fields, names cut short", () => {
    const Closed = Type.Object({}, { additionalProperties: false });
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`x${at}`, 1]));
    assert.equal(Object.keys(fieldErrors(Closed, many) ?? {}).length, 50);
    const [name = ""] = Object.keys(fieldErrors(Closed, { ["y".repeat(5000)]: 1 }) ?? {});
    assert.ok(name.length < 300);
    assert.deepEqual({ ...fieldErrors(Closed, { "": 1 }) }, { '""': ["is not a known property"] });
  });

  it("property: there are some if, and only if, the value does not fit", () => {
    const text = fc
      .record({ minLength: fc.nat(2), more: fc.nat(2) })
      .map(({ minLength, more }) => Type.String({ minLength, maxLength: minLength + more }));
    const { schema } = fc.letrec<{ schema: TSchema }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.constantFrom<TSchema>(
          ...[Type.Integer({ minimum: 1 }), Type.Number({ exclusiveMaximum: 2 }), Type.Boolean()],
          ...[Type.Null(), Type.Enum(["a", "b"]), Type.Literal("b"), Type.Unknown()],
          ...[Type.String({ pattern: "^a" }), Type.String({ format: "date" })],
        ),
        fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((all) => Type.Union(all)),
        tie("schema").map((items) => Type.Array(items, { minItems: 1, uniqueItems: true })),
        tie("schema").map((value) => Type.Record(Type.String(), value, { maxProperties: 2 })),
        fc
          .dictionary(fc.constantFrom("a", "b", "c"), tie("schema"), { maxKeys: 3 })
          .map((members) => Type.Object(members, { additionalProperties: false })),
      ),
    }));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>(null, true, 0, 1, 1.5, 3, "", "a", "b", "abc", "2026-01-31"),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("a", "b", "c", "d"), tie("value"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(schema, value, (wanted, sent) => {
        const isFine = validatorFor(wanted).Check(sent);
        assert.equal([...misfits(wanted, sent)].length === 0, isFine);
      }),
      { numRuns: 2_000 },
    );
  });
});
