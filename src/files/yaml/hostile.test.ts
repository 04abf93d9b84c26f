import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { startProcessorClock } from "#test/support/slowness.ts";
import { readYaml } from "./yaml-file.ts";

const SIZE = 256 * 1024;
const TIME_MAX_MS = 2_000;

const fill = (unit: string, head = ""): string =>
  head + unit.repeat(Math.floor((SIZE - Buffer.byteLength(head)) / Buffer.byteLength(unit)));

/** Returns the code of the first finding, or "ok". Fails if reading takes too long. */
function outcome(text: string): string {
  assert.ok(Buffer.byteLength(text) <= SIZE);
  const elapsedMs = startProcessorClock();
  const { file, findings } = readYaml("a.yml", Buffer.from(text));
  const took = elapsedMs();
  assert.ok(took < TIME_MAX_MS, `took ${took} ms`);
  assert.ok(findings.length <= 20);
  return file === undefined ? (findings[0]?.code ?? "nothing") : "ok";
}

describe("a hostile YAML file costs less than 2 seconds:", () => {
  const cases: [string, string, string][] = [
    ["open brackets", fill("["), "yaml.depth"],
    ["open braces", fill("{a: "), "yaml.depth"],
    ["nested brackets", "[".repeat(SIZE / 2) + "]".repeat(SIZE / 2), "yaml.depth"],
    ["closed brackets", fill("]"), "yaml.syntax"],
    ["brackets that do not match", fill("[}"), "yaml.too-complex"],
    ["brackets beside each other", fill("[]"), "yaml.too-complex"],
    ["commas", fill(",", "["), "yaml.syntax"],
    ["commas and colons", fill(",:", "["), "yaml.too-complex"],
    ["dashes", fill("- "), "yaml.depth"],
    ["dashes on lines", fill("-\n"), "yaml.too-complex"],
    ["question marks", fill("? "), "yaml.depth"],
    ["question marks on lines", fill("?\n"), "yaml.too-complex"],
    ["question marks in brackets", fill("? ", "["), "yaml.depth"],
    ["colons", fill(": "), "yaml.depth"],
    ["colons on lines", fill(":\n"), "yaml.too-complex"],
    ["colons in brackets", fill("a: ", "["), "yaml.depth"],
    ["anchors", fill("&a "), "yaml.alias"],
    ["aliases", fill("*a "), "yaml.alias"],
    ["tags", fill("!!a "), "yaml.tag"],
    ["directives", fill("%YAML 1.2\n"), "yaml.directive"],
    ["documents", fill("---\n"), "yaml.documents"],
    ["ends of documents", fill("...\n"), "yaml.documents"],
    ["mistakes in a second document", fill("[}", "a: 1\n---\n"), "yaml.documents"],
    ["blank lines", fill(" \n"), "ok"],
    ["comments", fill("#\n"), "ok"],
    ["carriage returns", fill("\r"), "ok"],
    ["quotes", fill("'"), "ok"],
    ["lines in quotes", fill("a\n\n", "'"), "yaml.syntax"],
    ["escapes", fill("\\x41", '"'), "yaml.syntax"],
    ["bad escapes", fill("\\q", '"'), "yaml.syntax"],
    ["lines of text", fill("a\n"), "ok"],
    ["lines of a block", fill("\n ", "a: |\n"), "ok"],
    ["folded lines", fill("  x\n\n", "a: >\n"), "ok"],
    ["digits", fill("9"), "yaml.number"],
    ["the same key again and again", fill("a: 1\n"), "yaml.too-complex"],
  ];
  for (const [about, text, expected] of cases) {
    it(about, () => assert.equal(outcome(text), expected));
  }

  it("a billion laughs", () => {
    const laughs = Array.from(
      { length: 9 },
      (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`,
    );
    assert.equal(outcome(["a0: &a0 lol", ...laughs].join("\n")), "yaml.alias");
  });

  it("as many different keys as allowed", () => {
    const keys = Array.from({ length: 19_000 }, (_, i) => `k${i}: 1\n`).join("");
    assert.equal(outcome(keys), "ok");
    assert.equal(outcome(`{${keys.replaceAll("\n", ",")}}`), "yaml.too-complex");
  });

  it("levels by indentation", () => {
    const levels = Array.from({ length: 700 }, (_, i) => `${" ".repeat(i)}a:\n`).join("");
    assert.equal(outcome(levels), "yaml.depth");
    const more = Array.from(
      { length: 80 },
      (_, i) => `${" ".repeat(60 * i)}${"- ".repeat(29)}a:\n`,
    );
    assert.equal(outcome(more.join("")), "yaml.depth");
  });

  it("anything repeated", () => {
    const parts = [
      "- ",
      "? ",
      ": ",
      "-",
      "?",
      ":",
      ",",
      "[",
      "]",
      "{",
      "}",
      "#",
      "|",
      ">",
      "'",
      '"',
      "a",
      "~",
      " ",
      "\n",
      "\n ",
      "\t",
      "\r",
      "\\",
      "...",
    ];
    const unit = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 4 });
    const head = fc.constantFrom("", "a:\n  ", "[", "{", 'a: "', "a: |\n  ");
    fc.assert(
      fc.property(unit, head, (pieces, start) => {
        outcome(fill(pieces.join(""), start));
      }),
      { numRuns: 30 },
    );
  });
});
