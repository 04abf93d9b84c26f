import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { stringify } from "yaml";
import { readYaml, type YamlFile } from "./yaml-file.ts";

function read(text: string | Buffer): YamlFile {
  const { file, findings } = readYaml("a.yml", Buffer.from(text));
  assert.deepEqual(findings, []);
  assert.ok(file !== undefined);
  return file;
}

/** Returns `code line:column` of each finding. */
function found(text: string | Buffer): string[] {
  const { file, findings } = readYaml("a.yml", Buffer.from(text));
  assert.equal(file, undefined);
  for (const finding of findings) {
    assert.equal(finding.severity, "error");
    assert.equal(finding.file, "a.yml");
    assert.match(finding.message, /\.$/);
    assert.match(finding.hint, /[.?]$/);
  }
  return findings.map(({ code, line, column }) => `${code} ${line}:${column}`);
}

const at = (file: YamlFile, path: string) => Object.values(file.at(path)).join(":");
const keyAt = (file: YamlFile, path: string) => Object.values(file.keyAt(path)).join(":");

describe("readYaml", () => {
  it("gives plain values of the core schema", () => {
    const text = "a: 1\nb: [x, 'y', true, ~, 1.5, 0x1f, yes, 2026-01-01, 010]\nc:\n";
    assert.deepEqual(read(text).value, {
      a: 1,
      b: ["x", "y", true, null, 1.5, 31, "yes", "2026-01-01", 10],
      c: null,
    });
  });

  it("reads an empty file, a comment alone and a single value", () => {
    for (const text of ["", "\n", "# nothing\n", "---\n", "# a\n---\n...\n# b\n"])
      assert.equal(read(text).value, null);
    assert.equal(read("just text").value, "just text");
  });

  it("takes every key for a text", () => {
    assert.deepEqual(read("1: a\ntrue: b\nnull: c\n<<: d\n'': e\n").value, {
      1: "a",
      true: "b",
      null: "c",
      "<<": "d",
      "": "e",
    });
  });

  it("reads a byte order mark and line ends of Windows as if they were not there", () => {
    const file = read("\ufeffa: 1\r\nb: 2\r\n");
    assert.deepEqual(file.value, { a: 1, b: 2 });
    assert.deepEqual([keyAt(file, "/a"), keyAt(file, "/b"), at(file, "/b")], ["1:1", "2:1", "2:4"]);
  });

  it("keeps keys with a meaning to the language harmless", () => {
    const file = read("constructor: {prototype: {polluted: 1}}\nhasOwnProperty: 1\ntoString: 2\n");
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
    assert.deepEqual(Object.keys(file.value as object), [
      "constructor",
      "hasOwnProperty",
      "toString",
    ]);
    assert.equal(keyAt(file, "/toString"), "3:1");
    assert.equal(at(read("a: 1"), "/constructor"), "1:1");
    assert.deepEqual(found("a: 1\n__proto__: {polluted: 1}\n"), ["yaml.key 2:1"]);
    assert.deepEqual(found('a:\n  "__proto__": 1\n'), ["yaml.key 2:3"]);
    assert.deepEqual(found('"\\u005f_proto__": 1\n'), ["yaml.key 1:1"]);
  });
});

describe("readYaml finds, with line and column,", () => {
  const cases: [string, string | Buffer, string[]][] = [
    ["anchors and aliases", "a: &x 1\nb: *x\n", ["yaml.alias 1:4", "yaml.alias 2:4"]],
    ["merge keys", "a: &x {b: 1}\nc:\n  <<: *x\n", ["yaml.alias 1:4", "yaml.alias 3:7"]],
    ["tags", "a: !!binary aGk=\nb: !custom x\n", ["yaml.tag 1:4", "yaml.tag 2:4"]],
    ["language tags", "a: !!js/function 'x'\n", ["yaml.tag 1:4"]],
    ["directives", "%YAML 1.1\n---\na: yes\n", ["yaml.directive 1:1"]],
    ["tag directives", "%TAG ! tag:x,2000:\n---\na: 1\n", ["yaml.directive 1:1"]],
    ["duplicate keys", "a: 1\nb: 2\na: 3\n", ["yaml.duplicate-key 3:1"]],
    [
      "duplicate keys written differently",
      "a: 1\n'a': 2\n\"\\x61\": 3\n",
      ["yaml.duplicate-key 2:1", "yaml.duplicate-key 3:1"],
    ],
    ["duplicate keys in brackets", "x: {a: 1, a: 2}\n", ["yaml.duplicate-key 1:11"]],
    ["duplicate keys that only look like numbers", "1: a\n'1': b\n", ["yaml.duplicate-key 2:1"]],
    ["several documents", "a: 1\n---\nb: 2\n", ["yaml.documents 2:1"]],
    ["a document after the end", "a: 1\n...\n# c\nb: 2\n", ["yaml.documents 4:1"]],
    ["two starts of a document", "---\n---\n", ["yaml.documents 2:1"]],
    ["tabs as indentation", "a:\n\tb: 1\n", ["yaml.syntax 2:1"]],
    ["an open bracket", "a: [1, 2\nb: 3\n", ["yaml.syntax 2:1"]],
    ["a bracket too many", "a: 1\nb: ]\n", ["yaml.syntax 2:4"]],
    ["a comma too many", "a: [1,, 2]\n", ["yaml.syntax 1:7"]],
    ["an open quote", "a: 'x\nb: 1\n", ["yaml.syntax 3:1"]],
    ["a colon in a text", "a: b: c\n", ["yaml.syntax 1:4"]],
    ["a bad escape", 'a: "\\q"\n', ["yaml.syntax 1:5"]],
    ["bad indentation", "a:\n    b: 1\n  c: 2\n", ["yaml.syntax 3:1"]],
    ["keys that are lists", "[a, b]: 1\n", ["yaml.key 1:1"]],
    ["keys that are missing", ": a\n", ["yaml.key 1:1"]],
    ["numbers too large to keep", "a: 1\nissuerId: 3388000000012345678\n", ["yaml.number 2:11"]],
    [
      "numbers without end",
      "a: .inf\nb: -.INF\nc: .nan\n",
      ["yaml.number 1:4", "yaml.number 2:4", "yaml.number 3:4"],
    ],
    ["hexadecimal numbers too large to keep", "a: 0xffffffffffffffff\n", ["yaml.number 1:4"]],
    ["control characters", "a: 1\nb: x\x07y\n", ["yaml.character 2:5"]],
    ["NUL", "a: x\0y\n", ["yaml.character 1:5"]],
    ["NUL in an escape", 'a: "\\0"\n', ["yaml.character 1:4"]],
    ["half a character in an escape", 'a: "\\ud800"\n', ["yaml.character 1:4"]],
    ["NUL in a key", '"\\0": 1\n', ["yaml.key 1:1"]],
    [
      "text that is not UTF-8",
      Buffer.from("a: 1\nb: \xe9t\xe9\n", "latin1"),
      ["yaml.encoding 2:4"],
    ],
    ["UTF-16", Buffer.from("\ufeffa: 1\n", "utf16le"), ["yaml.encoding 1:1"]],
    [
      "a broken character behind a written stand-in",
      Buffer.concat([Buffer.from("\ufffdé"), Buffer.from([0xff])]),
      ["yaml.encoding 1:3"],
    ],
    ["too much", Buffer.alloc(256 * 1024 + 1, "#"), ["yaml.too-large null:null"]],
  ];
  for (const [about, text, expected] of cases) {
    it(about, () => assert.deepEqual(found(text), expected));
  }

  it("nesting past 32 levels, in every notation", () => {
    const block = (levels: number) =>
      Array.from({ length: levels }, (_, level) => `${" ".repeat(level)}a:\n`).join("");
    assert.notEqual(read(block(32)).value, undefined);
    assert.deepEqual(found(block(33)), ["yaml.depth 33:35"]);
    assert.notEqual(read("[".repeat(32) + "]".repeat(32)).value, undefined);
    assert.deepEqual(found("[".repeat(33) + "]".repeat(33)), ["yaml.depth 1:33"]);
    assert.deepEqual(found("- ".repeat(33)), ["yaml.depth 1:65"]);
    assert.deepEqual(
      found(`${"  ".repeat(3)}${"- ".repeat(20)}a:\n${" ".repeat(60)}${"- ".repeat(20)}`),
      ["yaml.depth 2:85"],
    );
  });

  it("accepts a file of exactly the size allowed", () => {
    assert.equal(read(Buffer.alloc(256 * 1024, "#")).value, null);
  });

  it("tells where the first of two keys is", () => {
    const { findings } = readYaml("a.yml", Buffer.from("x: 1\na: 1\nb: 2\na: 3\n"));
    assert.equal(findings[0]?.hint, "The first one is in line 2. Remove one of the two.");
  });

  it("a screenful at most", () => {
    assert.equal(found("- &a 1\n".repeat(1_000)).length, 20);
    assert.equal(found("a: 1\n".repeat(1_000)).length, 20);
    assert.equal(found("a: b: c\n".repeat(1_000)).length <= 20, true);
  });
});

describe("a YAML file knows", () => {
  const file = read(
    [
      "kind: loyalty",
      "colors: { background: '#fff', label: \"#000\" }",
      "fields:",
      "  header:",
      "    - key: points",
      "      label: Points",
      "    - { key: 'x' }",
      "empty:",
      "a/b~c: 1",
      "",
    ].join("\n"),
  );

  it("where values begin", () => {
    assert.equal(at(file, ""), "1:1");
    assert.equal(at(file, "/kind"), "1:7");
    assert.equal(at(file, "/colors"), "2:9");
    assert.equal(at(file, "/colors/label"), "2:38");
    assert.equal(at(file, "/fields/header/0"), "5:7");
    assert.equal(at(file, "/fields/header/0/label"), "6:14");
    assert.equal(at(file, "/fields/header/1/key"), "7:14");
    assert.equal(at(file, "/a~1b~0c"), "9:8");
    assert.deepEqual(file.at(["fields", "header", 0, "label"]), file.at("/fields/header/0/label"));
  });

  it("where keys begin", () => {
    assert.equal(keyAt(file, ""), "1:1");
    assert.equal(keyAt(file, "/colors/label"), "2:31");
    assert.equal(keyAt(file, "/fields/header"), "4:3");
    assert.equal(keyAt(file, "/fields/header/1"), "7:7");
    assert.equal(keyAt(file, "/empty"), "8:1");
  });

  it("where the parent is of what is not there", () => {
    assert.equal(at(file, "/nothing"), "1:1");
    assert.equal(at(file, "/colors/nothing/at/all"), "2:9");
    assert.equal(keyAt(file, "/fields/header/7"), "4:3");
    assert.equal(at(file, "/fields/header/-1"), "5:5");
    assert.equal(at(file, "/kind/x"), "1:7");
  });

  it("where the characters of a text are written", () => {
    const texts = read(
      "plain: ab {{ x }}\nsingle: 'ab {{ x }}'\ndouble: \"ab {{ x }}\"\n" +
        'escaped: "a\\tb {{ x }}"\nliteral: |\n\n  ab\n    cd {{ x }}\nfolded: >\n  ab\n  {{ x }}\n' +
        "quote: 'it''s {{ x }}'\nnumber: 12\n",
    );
    const where = (key: string) => {
      const value = (texts.value as Record<string, string>)[key] ?? "";
      const { line, column } = texts.within([key], String(value).indexOf("{{"));
      return `${line}:${column}`;
    };
    assert.equal(where("plain"), "1:11");
    assert.equal(where("single"), "2:13");
    assert.equal(where("double"), "3:13");
    assert.equal(where("escaped"), "4:10", "the start of the value");
    assert.equal(where("literal"), "8:8");
    assert.equal(where("quote"), "12:8", "the start of the value");
    assert.equal(where("number"), "13:9");
    assert.match(where("folded"), /^9:9$/);
  });
});

const structure = fc.constantFrom(
  ..."-?:,[]{}#&*!|>'\"%@`ab1 \n\t~<=.\\",
  "  ",
  "\n  ",
  ": ",
  "- ",
  "\r\n",
  "---\n",
  "\ufeff",
  "é",
  "👩",
);

describe("any text", () => {
  it("is read or refused, never more than that, and every place is in the text", () => {
    const anyText = fc.oneof(
      fc.array(structure, { maxLength: 60 }).map((parts) => parts.join("")),
      fc.string({ unit: "binary", maxLength: 100 }),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        const { file, findings } = readYaml("a.yml", Buffer.from(text));
        assert.equal(file === undefined, findings.length > 0);
        for (const finding of findings) assertInside(text, finding);
        if (file !== undefined)
          for (const path of pathsOf(file.value)) assertInside(text, file.at(path));
      }),
      { numRuns: 3_000 },
    );
  });

  it("made of any bytes too", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const { file, findings } = readYaml("a.yml", Buffer.from(bytes));
        assert.equal(file === undefined, findings.length > 0);
      }),
      { numRuns: 1_000 },
    );
  });

  it("written from a value gives the value back, each part of it where it is written", () => {
    const leaf = fc.oneof(
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.stringMatching(/^[a-z{}: #'"\\-]{0,12}$/),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(fc.stringMatching(/^[a-zA-Z/~.]{1,8}$/), tie("tree"), {
          maxKeys: 4,
          noNullPrototype: true,
        }),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.boolean(), (value, flow) => {
        const text = stringify(value, {
          aliasDuplicateObjects: false,
          collectionStyle: flow ? "flow" : "block",
        });
        const file = read(text);
        assert.deepEqual(file.value, value);
        const lines = text.split("\n");
        for (const path of pathsOf(value)) {
          assertInside(text, file.at(path));
          const name = path.at(-1);
          const { line, column } = file.keyAt(path);
          const written = lines[line - 1]?.slice(column - 1) ?? "";
          if (typeof name === "string")
            assert.ok(written.replace(/^["']/, "").startsWith(name), written);
        }
      }),
    );
  });
});

function assertInside(
  text: string,
  { line, column }: { line: number | null; column: number | null },
) {
  const lines = text.replace(/^\ufeff/, "").split("\n");
  assert.ok(line !== null && line >= 1 && line <= lines.length, `line ${line}`);
  const length = lines[line - 1]?.length ?? 0;
  assert.ok(
    column !== null && column >= 1 && column <= length + 2,
    `column ${column} of ${length}`,
  );
}

function* pathsOf(value: unknown, path: (string | number)[] = []): Generator<(string | number)[]> {
  yield path;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* pathsOf(item, [...path, index]);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) yield* pathsOf(item, [...path, key]);
  }
}
