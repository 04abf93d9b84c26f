import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { digitsOf } from "#kernel/exact-number.ts";
import { cellsOf, readFile } from "#test/support/import-rows.ts";

const read = (text: string, fileName?: string) =>
  readFile([Buffer.from(text)], fileName === undefined ? {} : { fileName });

describe("CSV", () => {
  it("finds the delimiter by the header, or takes the one that is given", async () => {
    for (const delimiter of [";", ",", "\t"]) {
      const { rows } = await read(`a${delimiter}b\n1${delimiter}2\n`);
      assert.deepEqual(cellsOf(rows), [["1", "2"]]);
    }
    const mixed = await read('"a;x",b,c\n1,2,3\n');
    assert.deepEqual(mixed.rows[0]?.kind === "cells" && mixed.rows[0].header.columns, [
      "a;x",
      "b",
      "c",
    ]);
    const given = await readFile([Buffer.from("a,b,c;d\n1;2\n")], { delimiter: ";" });
    assert.deepEqual(cellsOf(given.rows), [["1", "2"]]);
    const said = await read("sep=;\na,b;c\n1;2\n");
    assert.deepEqual(cellsOf(said.rows), [["1", "2"]]);
    assert.equal(said.rows[0]?.line, 2);
  });

  it("numbers lines as a spreadsheet does, and passes over empty ones", async () => {
    const { rows } = await read('a;b\n1;2\n\n"3\n3";4\n;\n5;6\n');
    assert.deepEqual(
      rows.map(({ row, line }) => [row, line]),
      [
        [1, 2],
        [2, 4],
        [3, 6],
      ],
    );
  });

  it("takes every kind of line end, mixed as well", async () => {
    const { rows } = await read('a;b\r\n1;2\n3;4\r5;"6\r\n7"\r\n\r8;9');
    assert.deepEqual(cellsOf(rows), [
      ["1", "2"],
      ["3", "4"],
      ["5", "6\r\n7"],
      ["8", "9"],
    ]);
  });

  it("takes a quote within a value that does not begin with one as it is", async () => {
    const { rows } = await read('size;name\n5" wide;Anna "Anne" Lee\n');
    assert.deepEqual(cellsOf(rows), [['5" wide', 'Anna "Anne" Lee']]);
  });

  it("passes over columns without a name behind the last one, as spreadsheets write them", async () => {
    const { rows, problem } = await read("a;b;;\n1;2;;\n3;4\n5;6;;7\n");
    assert.equal(problem, undefined);
    assert.deepEqual(cellsOf(rows), [
      ["1", "2"],
      ["3", "4"],
    ]);
    assert.equal(rows[2]?.kind, "broken");
  });

  it("has no rows if there is only a header", async () => {
    assert.deepEqual(await read("a;b\n"), { rows: [], problem: undefined });
  });
});

describe("JSON and NDJSON", () => {
  it("are known by what they begin with, whatever the name is", async () => {
    for (const text of [' [ {"a":1} , {"a":2} ] ', '{"a":1}\n\n{"a":2}']) {
      const { rows } = await read(text, "members.csv");
      assert.deepEqual(
        rows.map((row) => row.kind === "object" && row.value),
        [{ a: 1 }, { a: 2 }],
      );
    }
  });

  it("are known by the name where the beginning says nothing", async () => {
    const { rows } = await read("[1]", "a.json");
    assert.deepEqual(rows, [
      {
        kind: "broken",
        row: 1,
        line: 1,
        problem: 'This row is no object. Write each row as { "name": value, … }.',
      },
    ]);
    assert.deepEqual(cellsOf((await read("[id]\n1\n", "a.csv")).rows), [["1"]]);
  });

  it("have no rows if the list is empty", async () => {
    assert.deepEqual(await read("[]", "a.json"), { rows: [], problem: undefined });
  });

  it("tell the line in which a row begins", async () => {
    const { rows } = await read('[\n  {\n    "a": 1\n  },\n  {"a": 2}\n]', "a.json");
    assert.deepEqual(
      rows.map(({ row, line }) => [row, line]),
      [
        [1, 2],
        [2, 5],
      ],
    );
  });

  it("keep every digit of a number", async () => {
    const { rows } = await read('[{"a":123456789012345.1234}]', "a.json");
    const value = rows[0]?.kind === "object" ? rows[0].value.a : undefined;
    assert.equal(digitsOf(value), "123456789012345.1234");
  });
});
