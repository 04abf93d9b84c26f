import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type FileReading, readFile } from "#test/support/import-rows.ts";

const read = (content: string | Buffer, fileName?: string): Promise<FileReading> =>
  readFile([Buffer.from(content)], fileName === undefined ? {} : { fileName });

/** What people read of a file: the problem of each row that is broken, and that of the file. */
function told({ rows, problem }: FileReading) {
  const broken = rows.flatMap((row) => (row.kind === "broken" ? [[row.line, row.problem]] : []));
  return { fine: rows.length - broken.length, broken, problem };
}

/** Files that cannot be read at all, or only up to some place. */
const UNREADABLE: Readonly<
  Record<string, { content: string | Buffer; name?: string; fine?: number; problem: string }>
> = {
  "nothing in it": { content: "", problem: "The file is empty." },
  "nothing but space in it": { content: " \r\n\t\n", problem: "The file is empty." },
  "nothing but space in it, named as JSON": {
    content: "\n\n",
    name: "a.json",
    problem: "The file is empty.",
  },
  "a quote that is never closed": {
    content: 'id;name\n1;Anna\n2;"Bert\n3;Carl\n4;Dora\n',
    fine: 1,
    problem:
      "A quotation mark in line 3, column 'name', is never closed, so it is not clear where the value ends. Add the missing one, or write two of them (\"\") for one that is part of a value.",
  },
  "a quote that the quote of another row seems to close": {
    content: 'id;name\n1;"Anna\n2;"Bert"\n3;Carl\n',
    problem:
      "A quotation mark in line 2, column 'name', is never closed, so it is not clear where the value ends. Add the missing one, or write two of them (\"\") for one that is part of a value.",
  },
  "a column without a name": {
    content: "id;;name\n1;2;3\n",
    problem: "Column 2 has no name. The first line of the file must name every column.",
  },
  "two columns of one name": {
    content: "id;name; name \n1;2;3\n",
    problem: "Two columns are named 'name'. Give each column a name of its own.",
  },
  "more columns than 500": {
    content: Array.from({ length: 501 }, (_, at) => `c${at}`).join(";"),
    problem: "The file has more than 500 columns.",
  },
  "the name of a column that is a whole text": {
    content: `id;${"x".repeat(257)}\n`,
    problem:
      "The name of column 2 is longer than 256 characters. The first line of the file must name every column.",
  },
  "a NUL": {
    content: "id;name\n1;Anna\n2;B\0ert\n",
    fine: 1,
    problem:
      "Line 3 has a NUL character, which no text has. Is this really a table? Save it as 'CSV UTF-8' and send it again.",
  },
  "UTF-16 without a mark": {
    content: Buffer.from("id;name\n1;Anna\n", "utf16le"),
    problem:
      "Line 1 has a NUL character, which no text has. Is this really a table? Save it as 'CSV UTF-8' and send it again.",
  },
  "letters of an old encoding": {
    content: Buffer.from("id;name\n1;Anna\n2;Jürgen\n", "latin1"),
    fine: 1,
    problem:
      "Line 3 has a character that is not in UTF-8, so letters such as ä or é would come out wrong. Save the file as 'CSV UTF-8' and send it again.",
  },
  "half a character of UTF-16 at its end": {
    content: Buffer.from([...Buffer.from("\ufeffid;name\n1;A", "utf16le"), 0x41]),
    problem:
      "Line 2 has a character that is not in UTF-8, so letters such as ä or é would come out wrong. Save the file as 'CSV UTF-8' and send it again.",
  },
  "an Excel workbook in it": {
    content: Buffer.from("PK\x03\x04\x14\0\x06\0", "latin1"),
    name: "members.xlsx",
    problem:
      "This is an Excel workbook or another packed file, not a text file. Export the table as 'CSV UTF-8' and send that file.",
  },
  "a JSON list that is cut off": {
    content: '[\n{"id":1},\n{"id":2},\n{"id',
    fine: 2,
    problem:
      "The list of rows is not complete: the file ends in line 4, within the row that begins in line 4. Was it cut off, or is a bracket or a quotation mark missing?",
  },
  "a JSON list that is not closed": {
    content: '[{"id":1},\n{"id":2}\n',
    fine: 2,
    problem:
      "The list of rows is not complete: the file ends in line 3. Was it cut off, or is a bracket or a quotation mark missing?",
  },
  "a JSON text that is not closed": {
    content: '[{"id":1},\n{"id":"2},\n{"id":"3"}]',
    fine: 1,
    problem:
      "The list of rows is not complete: the file ends in line 3, within the row that begins in line 2. Was it cut off, or is a bracket or a quotation mark missing?",
  },
  "no comma between JSON objects": {
    content: '[{"id":1}\n{"id":2}]',
    fine: 1,
    problem: "A comma is missing between two rows in line 2.",
  },
  "one comma too many in JSON": {
    content: '[{"id":1},\n]',
    fine: 1,
    problem: "A row is missing beside a comma in line 2.",
  },
  "text behind a JSON list": {
    content: '[{"id":1}]\n[{"id":2}]',
    fine: 1,
    problem: "There is more text after the end of the list in line 2.",
  },
  "one JSON object over many lines": {
    content: '{\n  "members": [{"id":1}]\n}',
    name: "a.json",
    problem:
      "The file must hold a list of rows: '[' at its start and one object for each row, or one whole object in every line.",
  },
  "a table in it that is named as JSON": {
    content: "id;name\n1;Anna\n",
    name: "a.json",
    problem:
      "A JSON file must hold a list of rows: '[' at its start, then one object for each row, with commas between them.",
  },
};

describe("a file that cannot be read", () => {
  for (const [title, { content, name, fine = 0, problem }] of Object.entries(UNREADABLE)) {
    it(`says so in a sentence: ${title}`, async () => {
      assert.deepEqual(told(await read(content, name)), { fine, broken: [], problem });
    });
  }
});

describe("a row that cannot be read", () => {
  it("has other columns than the header: it alone fails", async () => {
    const content = "id;name;city\n1;Anna;Bern\n2;Bert\n3;Carl;Rome;x\n4;Dora;Oslo\n";
    assert.deepEqual(told(await read(content)), {
      fine: 2,
      broken: [
        [
          3,
          "This row has 2 values, but the first line names 3 columns. Is ';' or a line break in the wrong place?",
        ],
        [
          4,
          "This row has 4 values, but the first line names 3 columns. If a value contains ';', put the value in quotation marks.",
        ],
      ],
      problem: undefined,
    });
    const many = told(await read(`a\tb\n${"x\t".repeat(600)}\n`));
    assert.deepEqual(many.broken, [
      [
        2,
        "This row has more than 500 values, but the first line names 2 columns. If a value contains a tab, put the value in quotation marks.",
      ],
    ]);
  });

  it("has quotes that do not fit together: it alone fails", async () => {
    assert.deepEqual(told(await read('id,name\n1,"Anna "Anne" Lee"\n2,Bert\n')), {
      fine: 1,
      broken: [
        [
          2,
          "The quotation marks in column 'name' do not fit together. Write two of them (\"\") for one that is part of a value.",
        ],
      ],
      problem: undefined,
    });
  });

  it("is wrong JSON in a line of its own, or in a list: it alone fails, with its place", async () => {
    const wrong = "This row is not valid JSON. Expected a value but found '}' (line 2, column 7).";
    for (const content of ['{"id":1}\n{"id":}\n{"id":3}', '[{"id":1},\n{"id":},\n{"id":3}]']) {
      const expected = { fine: 2, broken: [[2, wrong]], problem: undefined };
      assert.deepEqual(told(await read(content)), expected);
    }
    const names = told(
      await read('[{"id":1,"id":2},{"__proto__":1},{"a":"\\u0000"},"x"]', "a.json"),
    );
    assert.deepEqual(names.broken, [
      [
        1,
        "This row is not valid JSON. The key 'id' appears twice in one object (line 1, column 9).",
      ],
      [1, "This row is not valid JSON. The key '__proto__' is not allowed (line 1, column 2)."],
      [
        1,
        "This row is not valid JSON. A NUL character is not allowed in a string (line 1, column 7).",
      ],
      [1, 'This row is no object. Write each row as { "name": value, … }.'],
    ]);
  });

  it("is the first line of a file that is named as NDJSON: it alone fails", async () => {
    const { fine, broken, problem } = told(await read('{"id":\n{"id":2}\n', "a.jsonl"));
    assert.deepEqual([fine, broken.length, problem], [1, 1, undefined]);
  });
});

describe("a file of mixed line ends or of UTF-16", () => {
  it("is read as any other", async () => {
    const text = "id;name\r\n1;Jürgen\n2;Bert\r3;😀\r\n";
    for (const content of [
      Buffer.from(text),
      Buffer.from(`\ufeff${text}`, "utf16le"),
      Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
    ]) {
      const { rows, problem } = await read(content);
      assert.equal(problem, undefined);
      assert.deepEqual(
        rows.map((row) => row.kind === "cells" && row.cells),
        [
          ["1", "Jürgen"],
          ["2", "Bert"],
          ["3", "😀"],
        ],
      );
    }
  });
});
