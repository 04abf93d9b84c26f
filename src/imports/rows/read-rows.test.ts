import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { cellsOf, readFile } from "#test/support/import-rows.ts";
import { Reading } from "./read-rows.ts";
import type { SourceRow } from "./source-row.ts";

const ENCODINGS = {
  "UTF-8": (text: string) => Buffer.from(text),
  "UTF-8 with a mark": (text: string) => Buffer.from(`\ufeff${text}`),
  "UTF-16 LE": (text: string) => Buffer.from(`\ufeff${text}`, "utf16le"),
  "UTF-16 BE": (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
};
const encoding = fc.constantFrom(...Object.values(ENCODINGS));

/** Texts without NUL, which no file may have, and with what CSV has to quote. */
const cell = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
      fc.constantFrom('"', '""', ";", ",", "\t", "\r", "\n", "\r\n", "'", " ", "ä", "😀", "\ufffd"),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join("").replaceAll("\0", ""));

/** As RFC 4180 writes a cell. */
function written(value: string, isAlwaysQuoted: boolean): string {
  const needsQuotes = isAlwaysQuoted || /[";,\t\r\n]/.test(value);
  return needsQuotes ? `"${value.replaceAll('"', '""')}"` : value;
}

const table = fc
  .record({
    delimiter: fc.constantFrom(";" as const, "," as const, "\t" as const),
    columns: fc.integer({ min: 1, max: 5 }),
    lineEnd: fc.constantFrom("\r\n", "\n", "\r"),
    isAlwaysQuoted: fc.boolean(),
    endsWithLineEnd: fc.boolean(),
    encode: encoding,
  })
  .chain((shape) =>
    fc.record({
      shape: fc.constant(shape),
      rows: fc.array(fc.array(cell, { minLength: shape.columns, maxLength: shape.columns }), {
        maxLength: 8,
      }),
    }),
  )
  .map(({ shape, rows }) => {
    const { delimiter, columns, lineEnd, isAlwaysQuoted, endsWithLineEnd, encode } = shape;
    const header = Array.from({ length: columns }, (_, at) => `column ${at + 1}`);
    const lines = [header, ...rows].map((cells) =>
      cells.map((value) => written(value, isAlwaysQuoted)).join(delimiter),
    );
    const text = lines.join(lineEnd) + (endsWithLineEnd ? lineEnd : "");
    return { delimiter, rows, bytes: encode(text) };
  });

const json = fc.dictionary(
  fc.string({ maxLength: 5 }).filter((key) => key !== "__proto__"),
  fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes("__proto__")),
  { maxKeys: 4, noNullPrototype: true },
);

/** Cuts bytes at these places. */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length];
  const sorted = cuts.toSorted((left, right) => left - right);
  return sorted.slice(1).map((end, at) => bytes.subarray(sorted[at], end));
}
const places = fc.array(fc.nat(), { maxLength: 12 });

/** Reads pieces as they come, however small they are. */
function readPieces(pieces: readonly Buffer[], fileName: string) {
  const reading = new Reading({ fileName });
  const rows: SourceRow[] = [];
  for (const piece of pieces) {
    if (reading.problem === undefined) rows.push(...reading.push(piece));
  }
  if (reading.problem === undefined) rows.push(...reading.end());
  return { rows, problem: reading.problem === undefined ? undefined : String(reading.problem) };
}

/** Files of all formats, most of them broken: texts made of what the formats are made of. */
const hostile = fc
  .record({
    parts: fc.array(
      fc.oneof(
        fc.constantFrom(
          ...[
            '"',
            '""',
            ",",
            ";",
            "\t",
            "\n",
            "\r",
            "\r\n",
            "[",
            "]",
            "{",
            "}",
            ":",
            "\\",
            "a",
            " ",
          ],
          ...[
            '"a"',
            '{"a":1}',
            "[{",
            "1e999",
            "null",
            "\0",
            "\ufeff",
            "sep=;\n",
            "a;b\n",
            '\\u00e4"',
          ],
        ),
        fc.string({ unit: "binary", maxLength: 3 }),
      ),
      { maxLength: 40 },
    ),
    tail: fc.uint8Array({ maxLength: 4 }),
    encode: encoding,
    fileName: fc.constantFrom("a.csv", "a.json", "a.ndjson", "a"),
  })
  .map(({ parts, tail, encode, fileName }) => ({
    bytes: Buffer.concat([encode(parts.join("")), tail]),
    fileName,
  }));

describe("rows of a file", () => {
  it("property: what a CSV writer writes is read back, in every encoding", async () => {
    await fc.assert(
      fc.asyncProperty(table, async ({ bytes, rows, delimiter }) => {
        const reading = await readFile([bytes], { delimiter });
        assert.equal(reading.problem, undefined);
        const filled = rows.filter((cells) => cells.some((value) => value.trim() !== ""));
        assert.deepEqual(cellsOf(reading.rows), filled);
      }),
      { numRuns: 500 },
    );
  });

  it("property: what JSON.stringify writes is read back, as a list and as lines", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(json, { maxLength: 6 }),
        encoding,
        fc.constantFrom(0, 2, "\t"),
        async (objects, encode, space) => {
          const list = await readFile([encode(JSON.stringify(objects, null, space))]);
          const lines = objects.map((object) => `${JSON.stringify(object)}\n`).join("");
          const read = await readFile([encode(lines)], { fileName: "a.ndjson" });
          const values = (rows: readonly SourceRow[]) =>
            rows.map((row) => (row.kind === "object" ? row.value : row));
          const expected = JSON.parse(JSON.stringify(objects));
          assert.deepEqual(values(list.rows), expected);
          assert.deepEqual(values(read.rows), expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("property: the rows do not depend on the chunks in which the bytes come", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(table, hostile), places, async (file, cuts) => {
        const fileName = "fileName" in file ? file.fileName : "a.csv";
        const whole = readPieces([file.bytes], fileName);
        assert.deepEqual(readPieces(cutAt(file.bytes, cuts), fileName), whole);
        const bytes = Array.from(file.bytes, (byte) => Buffer.from([byte]));
        assert.deepEqual(readPieces(bytes, fileName), whole);
        const streamed = await readFile(cutAt(file.bytes, cuts), { fileName });
        assert.deepEqual(streamed.rows, whole.rows);
      }),
      { numRuns: 500 },
    );
  });

  it("property: whatever the bytes are, rows count from 1 and the only failure is a sentence", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          hostile,
          fc.record({ bytes: fc.uint8Array({ maxLength: 200 }), fileName: fc.constant("a.csv") }),
        ),
        async ({ bytes, fileName }) => {
          const { rows, problem } = await readFile([Buffer.from(bytes)], { fileName });
          assert.deepEqual(
            rows.map(({ row }) => row),
            rows.map((_, at) => at + 1),
          );
          assert.ok(rows.every(({ line }, at) => line >= (rows[at - 1]?.line ?? 1)));
          const said = [problem, ...rows.map((row) => (row.kind === "broken" ? row.problem : "."))];
          for (const sentence of said) assert.match(sentence ?? ".", /^[^\p{Cc}]{0,400}[.?]$/u);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
