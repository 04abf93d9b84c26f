import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readTemplates } from "#test/support/read-templates.ts";
import { LOYALTY_YML, TEMPLATE_FILES, toFiles } from "#test/support/template-files.ts";

describe("the schema of a template's data", () => {
  function errorsWith(data: object): string[] {
    const text = LOYALTY_YML.replace(/^data: .*$/m, `data: ${JSON.stringify(data)}`);
    const files = toFiles({ ...TEMPLATE_FILES, "server/passes/loyalty.yml": text });
    return readTemplates(files)
      .findings.filter(({ severity }) => severity === "error")
      .map(({ code }) => code);
  }
  const members = (count: number) => ({
    type: "object",
    properties: Object.fromEntries([
      ["firstName", { type: "string" }],
      ["since", { type: "string" }],
      ...Array.from({ length: count }, (_, at) => [`m${at}`, { type: "string" }]),
    ]),
  });

  it("describes no more than can be checked whenever a pass is written", () => {
    assert.deepEqual(errorsWith(members(900)), []);
    // A validator for some thousands of members cannot be compiled: every request that writes a
    // pass would give a 500.
    assert.deepEqual(errorsWith(members(3_000)), ["template.data-too-large"]);
    const values = Array.from({ length: 400 }, (_, at) => at);
    const nested = { type: "array", items: { type: "integer", enum: values } };
    const { properties } = members(0);
    const many = { type: "object", properties: { ...properties, a: nested, b: nested, c: nested } };
    assert.deepEqual(errorsWith(many), ["template.data-too-large"]);
  });
});
