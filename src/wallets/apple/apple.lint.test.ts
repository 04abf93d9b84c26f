import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check } from "#test/support/check-configuration.ts";
import { readTemplates } from "#test/support/read-templates.ts";
import { TEMPLATE_FILES, toFiles } from "#test/support/template-files.ts";
import { lintTemplate } from "./apple.lint.ts";

describe("the rules of Apple Wallet", () => {
  it("find a layout that sets an identity, and where", () => {
    const path = "layouts/loyalty.apple.yml";
    const text = "userInfo: { a: 1 }\nserialNumber: x\n";
    const { set } = readTemplates(toFiles({ ...TEMPLATE_FILES, [path]: text }));
    const loyalty = set.templates.get("loyalty");
    assert.ok(loyalty !== undefined);
    assert.deepEqual(
      lintTemplate(loyalty).map(({ code, file, line, column }) => ({ code, file, line, column })),
      [{ code: "template.layout-fixed-member", file: path, line: 2, column: 1 }],
    );
  });

  it("refuse a layout of more than ten barcodes, and where", async () => {
    const barcodesOf = async (count: number) => {
      const entry = "  - { format: PKBarcodeFormatQR, message: a, messageEncoding: utf-8 }\n";
      const files = {
        ...TEMPLATE_FILES,
        "layouts/loyalty.apple.yml": `barcodes:\n${entry.repeat(count)}`,
      };
      const found = await check(toFiles(files));
      return found.filter(({ code }) => code === "apple.too-many-barcodes");
    };
    assert.deepEqual(await barcodesOf(10), []);
    const [{ severity, line, message } = {}, ...others] = await barcodesOf(11);
    assert.deepEqual([severity, line, others], ["error", 12, []]);
    assert.equal(message, "There are 11 barcodes, and a pass may have 10.");
  });

  it("refuse a field with the key of messages to the holder", () => {
    const path = "server/passes/loyalty.yml";
    const text = String(TEMPLATE_FILES[path]).replace("key: name,", "key: billfold-message,");
    const { set } = readTemplates(toFiles({ ...TEMPLATE_FILES, [path]: text }));
    const loyalty = set.templates.get("loyalty");
    assert.ok(loyalty !== undefined);
    const found = lintTemplate(loyalty).map(({ code, severity, file }) => [code, severity, file]);
    assert.deepEqual(found, [["apple.key-taken", "error", path]]);
  });
});
