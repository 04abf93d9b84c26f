import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { readFile } from "#test/support/import-rows.ts";
import { startProcessorClock } from "#test/support/slowness.ts";
import { ROW_CHARS_MAX } from "./limits.ts";

const MIB = 1_048_576;
const CHUNK_BYTES = 256 * 1024;
const JUST_TOO_LONG_MIB = Math.ceil(ROW_CHARS_MAX / MIB) + 1;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** What is in use, without what nobody holds any more. */
function heapMib(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / MIB;
}
const HEAP_GROWTH_MIB_MAX = 8;

/** A file of this many MiB that begins and ends so, and how much of it was asked for. */
function largeFile({ start, fill, end = "", mib }: Large) {
  // A reader that keeps what it read holds most of it at the end; one that drops it late, shortly after the
  // longest row that is allowed. Measuring the heap takes long in a process that shares many files.
  const measuredAtMib = [JUST_TOO_LONG_MIB, mib / 2, mib - CHUNK_BYTES / MIB];
  const chunk = Buffer.alloc(CHUNK_BYTES, fill);
  const file = { askedMib: 0, heapMibMax: 0, chunks: chunks() };
  function* chunks(): Generator<Buffer> {
    yield Buffer.from(start);
    for (let at = 0; at < mib * MIB; at += CHUNK_BYTES) {
      yield chunk;
      file.askedMib = at / MIB;
      if (measuredAtMib.includes(file.askedMib))
        file.heapMibMax = Math.max(file.heapMibMax, heapMib());
    }
    yield Buffer.from(end);
  }
  return file;
}
type Large = { start: string; fill: string; end?: string; mib: number };

describe("a line of a gigabyte", () => {
  for (const [title, start, fill, problem] of [
    [
      "without any line end",
      "",
      "x",
      "Line 1 is longer than 1048576 characters. Are the line breaks between the rows missing?",
    ],
    [
      "in a value without quotes",
      "id;name\n1;",
      "x",
      "Line 2 is longer than 1048576 characters. Are the line breaks between the rows missing?",
    ],
    [
      "of delimiters",
      "id;name\n",
      ";",
      "Line 2 is longer than 1048576 characters. Are the line breaks between the rows missing?",
    ],
    [
      "behind a quote that is never closed",
      'id;name\n1;"',
      "x;\n",
      "A quotation mark in line 2, column 'name', is never closed, so it is not clear where the value ends. Add the missing one, or write two of them (\"\") for one that is part of a value.",
    ],
  ] as const) {
    it(`ends the reading of CSV after the first MiB: ${title}`, async () => {
      const file = largeFile({ start, fill, mib: 1_024 });
      assert.deepEqual(await readFile(file.chunks), { rows: [], problem });
      assert.ok(file.askedMib <= 2, `read ${file.askedMib} MiB`);
    });
  }

  it("fails alone in NDJSON, in memory that does not grow with it", async () => {
    const before = heapMib();
    const file = largeFile({ start: '{"a":"', fill: "x", end: '"}\n{"a":1}', mib: 1_024 });
    const { rows, problem } = await readFile(file.chunks, { fileName: "a.ndjson" });
    assert.equal(problem, undefined);
    assert.deepEqual(rows, [
      {
        kind: "broken",
        row: 1,
        line: 1,
        problem: "This row is longer than 1048576 characters.",
      },
      { kind: "object", row: 2, line: 2, value: { a: 1 } },
    ]);
    assert.ok(file.heapMibMax > 0, "memory was measured");
    assert.ok(file.heapMibMax - before < HEAP_GROWTH_MIB_MAX, `${file.heapMibMax - before} MiB`);
  });

  for (const [title, start, fill, end] of [
    ["as one text", '[{"a":"', "x", '"},{"a":1}]'],
    ["that is nested without end", "[[", "[", ""],
    ["full of values", '[{"a":[', "1,", '1]},{"a":1}]'],
  ] as const) {
    it(`fails alone in a JSON list, in memory that does not grow with it: ${title}`, async () => {
      const before = heapMib();
      const file = largeFile({ start, fill, end, mib: 64 });
      const { rows, problem } = await readFile(file.chunks, { fileName: "a.json" });
      const last = end === "" ? [] : [{ kind: "object", row: 2, line: 1, value: { a: 1 } }];
      assert.deepEqual(rows.slice(1), last);
      assert.equal(problem === undefined, end !== "");
      assert.ok(file.heapMibMax > 0, "memory was measured");
      assert.ok(file.heapMibMax - before < HEAP_GROWTH_MIB_MAX, `${file.heapMibMax - before} MiB`);
    });
  }
});

describe("the longest row", () => {
  it("counts the same wherever the bytes are cut", async () => {
    for (const lineEnd of ["\n", "\r\n"]) {
      for (const over of [-1, 0, 1]) {
        const row = `1;${"x".repeat(ROW_CHARS_MAX - 2 - lineEnd.length + over)}${lineEnd}`;
        const bytes = Buffer.from(`id;name${lineEnd}${row}2;y`);
        for (const cut of [1, 7, ROW_CHARS_MAX, bytes.length - 4, bytes.length - 5]) {
          const { rows, problem } = await readFile([bytes.subarray(0, cut), bytes.subarray(cut)]);
          assert.equal(rows.length, over > 0 ? 0 : 2);
          assert.equal(problem?.startsWith("Line 2 is longer"), over > 0 ? true : undefined);
        }
      }
    }
  });

  it("takes time by its length, also if it comes in tiny chunks", async () => {
    const elapsed = startProcessorClock();
    const bytes = Buffer.from(`id;name\n1;"${'"";\n'.repeat(200_000)}"\n2;y\n`);
    const count = Math.ceil(bytes.length / 16);
    const chunks = Array.from({ length: count }, (_, at) => bytes.subarray(at * 16, at * 16 + 16));
    const { rows, problem } = await readFile(chunks);
    assert.deepEqual([rows.length, problem], [2, undefined]);
    assert.ok(elapsed() < 2_000, `${elapsed()} ms`);
  });
});
