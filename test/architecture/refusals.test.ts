import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TSchema } from "typebox";
import { fieldErrors } from "#kernel/http/validation.ts";
import { allRoutes } from "#main/modules.ts";

const NO_WORDS = "must be written in another form";

/** All schemas inside a schema, including the schema itself. */
function* schemasIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* schemasIn(inner);
}

describe("what callers send", () => {
  it("has a sentence for every pattern and format that it may break (`mustBe`)", () => {
    let count = 0;
    for (const { op, params, query, body } of allRoutes()) {
      for (const schema of schemasIn([params, query, body])) {
        const { pattern, format, mustBe } = schema;
        if (typeof pattern === "string") {
          count += 1;
          assert.equal(typeof mustBe, "string", `${op}: the pattern ${pattern} has no words`);
        }
        if (typeof format !== "string") continue;
        const [reason] = fieldErrors({ type: "string", format } as TSchema, "\u0000")?.$ ?? [];
        assert.notEqual(reason, NO_WORDS, `${op}: the format ${format} has no words`);
      }
    }
    assert.ok(count > 5);
  });
});
