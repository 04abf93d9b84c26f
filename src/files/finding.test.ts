import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allFindings, defineFinding, type Finding, hasError, sortFindings } from "./finding.ts";
import { yamlFindings } from "./yaml/findings.ts";

const tooMany = defineFinding({
  code: "test.too-many",
  severity: "warning",
  summary: "There are too many.",
  message: ({ count }: { count: number }) => `There are ${count}.`,
  hint: "Remove some.",
  advice: ({ count }) => (count > 100 ? "Remove most." : undefined),
});
const plain = defineFinding({
  code: "test.plain",
  severity: "info",
  summary: "So.",
  hint: "Well.",
});

describe("defineFinding", () => {
  it("makes findings with the words of the case at hand", () => {
    assert.deepEqual(tooMany({ file: "a.yml", line: 2, column: 3 }, { count: 200 }), {
      severity: "warning",
      code: "test.too-many",
      file: "a.yml",
      line: 2,
      column: 3,
      message: "There are 200.",
      hint: "Remove most.",
    });
  });

  it("falls back to what is documented, and to the whole file", () => {
    assert.equal(tooMany({ file: "a" }, { count: 1 }).hint, "Remove some.");
    assert.deepEqual(plain({ file: "a" }), {
      severity: "info",
      code: "test.plain",
      file: "a",
      line: null,
      column: null,
      message: "So.",
      hint: "Well.",
    });
  });

  it("knows its kind without an instance", () => {
    const { code, severity, summary, hint } = tooMany;
    assert.deepEqual(
      [code, severity, summary, hint],
      ["test.too-many", "warning", "There are too many.", "Remove some."],
    );
  });

  for (const code of [
    "",
    "x",
    "x.",
    ".x",
    "X.y",
    "x.Y",
    "x.y_z",
    "x.y-",
    "x.-y",
    "x.y.z",
    "x y.z",
  ]) {
    it(`refuses the code '${code}'`, () => {
      const definition = { code, severity: "error", summary: "", hint: "" } as const;
      assert.throws(() => defineFinding(definition), /not a code/);
    });
  }
});

describe("allFindings", () => {
  it("lists kinds by code, whatever the order of the lists", () => {
    assert.deepEqual(allFindings([tooMany], [plain]), allFindings([plain, tooMany]));
    assert.deepEqual(allFindings([tooMany, plain])[0], {
      code: "test.plain",
      severity: "info",
      summary: "So.",
      hint: "Well.",
    });
  });

  it("refuses a code that is defined twice", () => {
    assert.throws(() => allFindings([plain], [plain]), /'test.plain' is defined twice/);
  });

  it("finds in every kind of YAML finding something to read", () => {
    for (const { code, summary, hint } of allFindings(yamlFindings)) {
      assert.match(summary, /^[A-Z].*\.$/, code);
      assert.match(hint, /^[A-Z].*\.$/, code);
    }
  });
});

describe("sortFindings and hasError", () => {
  const at = (file: string, line: number | null, column: number | null): Finding =>
    plain({ file, line, column });

  it("sorts by file, line and column, whole files first", () => {
    const sorted = [
      at("a", null, null),
      at("a", 1, 2),
      at("a", 2, 1),
      at("a", 10, 1),
      at("b", 1, 1),
    ];
    assert.deepEqual(sortFindings(sorted.toReversed()), sorted);
  });

  it("tells errors from the rest", () => {
    assert.equal(hasError([]), false);
    assert.equal(hasError([plain({ file: "a" }), tooMany({ file: "a" }, { count: 1 })]), false);
    assert.equal(
      hasError([plain({ file: "a" }), { ...plain({ file: "a" }), severity: "error" }]),
      true,
    );
  });
});
