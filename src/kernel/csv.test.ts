import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { textCell, unguarded } from "./csv.ts";

/** The text of a cell as a program reads it that knows which separator it is. */
function read(cell: string): string {
  return cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}

/**
 * The cells that a European spreadsheet makes of a line with commas: quotation marks count only where
 * a cell begins, so `;` and line breaks split even what stands between them.
 */
function europeanCells(line: string): string[] {
  return line.split(/[;\t\r\n]/);
}

const RUNS = /^[\s"]*[=+\-@|%]/;
const text = fc
  .array(
    fc.constantFrom("=", "+", "-", "@", "|", "%", ";", ",", "\t", "\n", "\r", '"', " ", "a", "1"),
  )
  .map((parts) => parts.join(""));

describe("a cell of CSV", () => {
  it("is run by no spreadsheet, whatever it takes for the end of a cell", () => {
    assert.equal(textCell("a;=1+1;b"), `"a;'=1+1;b"`);
    assert.equal(textCell("=1"), "'=1");
    fc.assert(
      fc.property(text, (sent) => {
        const cell = textCell(sent);
        assert.doesNotMatch(read(cell), RUNS);
        for (const part of europeanCells(`1,${cell},2`)) assert.doesNotMatch(part, RUNS);
      }),
    );
  });

  it("is one cell for programs that split at commas, semicolons and tabs at once", () => {
    for (const sent of ["a;b", "a\tb", "a,b", "a\nb", 'a"b']) {
      assert.match(textCell(sent), /^"[\s\S]*"$/, JSON.stringify(sent));
    }
    assert.equal(textCell("a b"), "a b");
  });

  it("is read again as the text that it was made of", () => {
    assert.equal(unguarded("it's"), "it's");
    fc.assert(
      fc.property(text, (sent) => {
        // Whoever reads cells leaves the space around them out.
        const trimmed = sent.trim();
        assert.equal(unguarded(read(textCell(trimmed))), trimmed);
      }),
    );
  });
});
