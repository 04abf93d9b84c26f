import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import fc from "fast-check";
import Type, { type TSchema } from "typebox";
import { asJsonSchema, type JsonSchema } from "./json-schema.ts";
import { sampleOf } from "./sample.ts";

const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;
const ajv = new Ajv2020({ strict: false });
addFormats(ajv);

function assertFits(schema: JsonSchema): void {
  const value = sampleOf(schema);
  assert.ok(ajv.validate(schema, value), `${JSON.stringify(value)}: ${ajv.errorsText()}`);
}

describe("a sample of a schema", () => {
  it("is what the schema suggests, before anything made up", () => {
    assert.equal(sampleOf({ type: "string", examples: ["till-7"], default: "x" }), "till-7");
    assert.equal(sampleOf({ type: "integer", default: 20 }), 20);
    assert.equal(sampleOf({ const: false }), false);
    assert.equal(sampleOf({ enum: ["open", "closed"] }), "open");
  });

  it("is asked of the author where only a pattern tells the form", () => {
    assert.throws(() => sampleOf({ type: "string", pattern: "^[a-z]{5}$" }), /needs an example/);
    const map = { type: "object", patternProperties: { "^x-": { type: "string" } } };
    assert.throws(() => sampleOf(map), /needs an example/);
  });

  it("prefers a value to null, and shows optional members too", () => {
    const schema = Type.Object({
      note: Type.Union([Type.Null(), Type.String()]),
      size: Type.Optional(Type.Integer({ minimum: 3 })),
    });
    assert.deepEqual(sampleOf(asJsonSchema(schema)), { note: "text", size: 3 });
  });

  it("ends for a schema that contains itself", () => {
    const tree = Type.Cyclic(
      { Tree: Type.Object({ name: Type.String(), branches: Type.Array(Type.Ref("Tree")) }) },
      "Tree",
    );
    assert.match(JSON.stringify(sampleOf(asJsonSchema(tree))), /"branches":\[\]/);
  });

  it("fits, to a validator that is not ours, whatever the schema", () => {
    const text = fc.oneof(
      fc
        .record({ minLength: fc.nat(20), more: fc.nat(20) })
        .map(({ minLength, more }) => Type.String({ minLength, maxLength: minLength + more })),
      fc
        .constantFrom(
          "date-time",
          "date",
          "time",
          "email",
          "uri",
          "uuid",
          "ipv4",
          "ipv6",
          "duration",
        )
        .map((format) => Type.String({ format })),
      fc
        .constantFrom(["^[a-z]{3,9}$", "till"], ["^x-\\d+$", "x-7"])
        .map(([pattern, example]) => Type.String({ pattern, examples: [example] })),
    );
    const number = fc
      .record({ minimum: fc.integer({ min: -50, max: 50 }), more: fc.nat(50) })
      .map(({ minimum, more }) => Type.Integer({ minimum, maximum: minimum + more }));
    const { schema } = fc.letrec<{ schema: TSchema }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4 },
        text,
        number,
        fc.constantFrom<TSchema>(Type.Boolean(), Type.Null(), Type.Enum(["a", "b"])),
        fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((all) => Type.Union(all)),
        tie("schema").map((items) => Type.Array(items, { minItems: 1 })),
        tie("schema").map((value) => Type.Record(Type.String(), value)),
        fc
          .dictionary(fc.stringMatching(/^[a-z]{1,5}$/), tie("schema"), { maxKeys: 4 })
          .map((members) => Type.Object(members, { additionalProperties: false })),
      ),
    }));
    fc.assert(
      fc.property(schema, (source) => assertFits(JSON.parse(JSON.stringify(source)))),
      { numRuns: 300 },
    );
  });
});
