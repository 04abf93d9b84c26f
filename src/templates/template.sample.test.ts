import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import fc from "fast-check";
import { readTemplates } from "#test/support/read-templates.ts";
import { TEMPLATE_FILES, toFiles } from "#test/support/template-files.ts";
import type { DataSchema } from "./schema/data.ts";
import { sampleData, sampleInput } from "./template.sample.ts";

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);

const { schema } = fc.letrec<{ schema: DataSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record({
      type: fc.constant("string" as const),
      minLength: fc.integer({ min: 0, max: 5 }),
      maxLength: fc.integer({ min: 5, max: 20 }),
    }),
    fc.record({
      type: fc.constant("string" as const),
      format: fc.constantFrom("date", "date-time", "email", "uri", "uuid"),
    }),
    fc.record({
      type: fc.constantFrom("integer", "number"),
      minimum: fc.integer({ min: -100, max: 100 }),
      maximum: fc.integer({ min: 101, max: 200 }),
      multipleOf: fc.constantFrom(1, 2, 5, 10),
    }),
    fc.record({ type: fc.constant("boolean" as const) }),
    fc.record({ enum: fc.array(fc.string(), { minLength: 1, maxLength: 3 }) }),
    fc.record({
      type: fc.constant("array" as const),
      items: tie("schema"),
      minItems: fc.integer({ min: 0, max: 3 }),
      maxItems: fc.integer({ min: 3, max: 5 }),
    }),
    fc
      .dictionary(fc.constantFrom("firstName", "email", "validUntil", "x"), tie("schema"), {
        noNullPrototype: true,
      })
      .map((properties) => ({
        type: "object" as const,
        properties,
        required: Object.keys(properties),
        additionalProperties: false,
      })),
  ) as fc.Arbitrary<DataSchema>,
}));

describe("sample data", () => {
  it("fits the schema it is made from", () => {
    fc.assert(
      fc.property(schema, (wanted) => {
        const sample = sampleData(wanted, "data", 0);
        const validate = ajv.compile(wanted);
        assert.ok(
          validate(sample),
          `${JSON.stringify([wanted, sample])} ${ajv.errorsText(validate.errors)}`,
        );
      }),
      { numRuns: 200 },
    );
  });

  it("has a value for all that a template reads", () => {
    const { set } = readTemplates(toFiles(TEMPLATE_FILES));
    const loyalty = set.templates.get("loyalty");
    assert.ok(loyalty !== undefined);
    const input = sampleInput(loyalty, { ...set.tenant, id: "acme" });
    assert.deepEqual(input.identifiers, { "loyalty.number": "100200300" });
    assert.deepEqual(input.data, { firstName: "Alexandra", since: "2026-06-15" });
    assert.equal((input.privileges.points as { value: number }).value, 0);
  });
});
