import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { startProcessorClock } from "#test/support/slowness.ts";
import {
  collisions,
  FILE_BYTES_MAX,
  FILE_COUNT_MAX,
  fileSetProblems,
  foldPath,
  ProblemList,
  pathProblem,
  SET_BYTES_MAX,
  toFileSet,
} from "./file-set.ts";

describe("pathProblem", () => {
  const good = [
    "tenant.yml",
    "server/passes/gold.yml",
    "images/logo@2x.png",
    "images/Café Lune – été.png",
    "images/日本.png",
    "branding/.hidden",
    "a..b/c...d.yml",
    "constructor",
    "locales/de-CH.yml",
    "console/con-tent.yml",
    "images/com10.png",
    "1/2/3/4/5/6/7/8/9/10",
    `${"x".repeat(250)}.yml`,
    "images/👩‍👧.png",
  ];
  for (const path of good) {
    it(`accepts ${path.slice(0, 40)}`, () => assert.equal(pathProblem(path), undefined));
  }

  const bad: [string, RegExp][] = [
    ["", /empty/],
    ["/etc/passwd", /absolute/],
    ["//host/share", /absolute/],
    ["C:/x", /absolute/],
    ["c:x", /absolute/],
    ["C:\\x", /backslash/],
    ["a\\b", /backslash/],
    ["..\\x", /backslash/],
    ["../x", /'\.\.'/],
    ["a/../../b", /'\.\.'/],
    ["a/..", /'\.\.'/],
    ["..", /'\.\.'/],
    ["./a", /'\.'/],
    ["a/./b", /'\.'/],
    ["a//b", /empty name/],
    ["a/", /empty name/],
    ["a\0.yml", /cannot be shown/],
    ["a\nb", /cannot be shown/],
    ["a\x7f", /cannot be shown/],
    ["a\u0085", /cannot be shown/],
    ["a\u2028b", /cannot be shown/],
    ["gnp\u202egpj.exe", /cannot be shown/],
    ["a\u200bb", /cannot be shown/],
    ["\ufeffa", /cannot be shown/],
    ["a\ud800", /cannot be shown/],
    ["a\ufffd", /cannot be shown/],
    ["a.", /dot or a space/],
    ["a /b", /dot or a space/],
    ["a./b", /dot or a space/],
    ["...", /dot or a space/],
    ["con", /Windows/],
    ["server/NUL.yml", /Windows/],
    ["aux.tar.gz", /Windows/],
    ["LPT1/x", /Windows/],
    ["com¹", /Windows/],
    ["CONIN$", /Windows/],
    ["file:stream", /one of/],
    ["a?", /one of/],
    ["a*b", /one of/],
    ["a<b>", /one of/],
    ['a"', /one of/],
    ["a|b", /one of/],
    ["__proto__", /__proto__/],
    ["a/__proto__/b", /__proto__/],
    ["e\u0301.png", /normal form/],
    ["1/2/3/4/5/6/7/8/9/10/11", /deeper/],
    ["x".repeat(501), /longer than 500/],
    [`${"x".repeat(256)}`, /255 bytes/],
    [`${"é".repeat(128)}`, /255 bytes/],
  ];
  for (const [path, reason] of bad) {
    it(`refuses ${JSON.stringify(path).slice(0, 40)}`, () =>
      assert.match(pathProblem(path) ?? "", reason));
  }

  it("never throws, and what it accepts stays where it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (path) => {
        if (pathProblem(path) !== undefined) return;
        const url = new URL(encodeURI(path), "file:///root/");
        assert.ok(url.pathname.startsWith("/root/"));
        assert.equal(path.normalize("NFC"), path);
      }),
    );
  });
});

describe("foldPath", () => {
  it("brings every letter together with its upper, lower, composed and decomposed forms", () => {
    const apart: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const char = String.fromCodePoint(code);
      const forms = [char.toUpperCase(), char.toLowerCase(), char.normalize("NFD")];
      const others = forms.filter((form) => form !== char);
      if (others.some((form) => foldPath(form) !== foldPath(char))) apart.push(char);
    }
    assert.deepEqual(apart, []);
  });

  it("is stable", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (path) => {
        assert.equal(foldPath(foldPath(path)), foldPath(path));
      }),
    );
  });
});

describe("collisions", () => {
  it("finds the same path twice, in another case and in another normal form", () => {
    assert.deepEqual(collisions(["a", "b", "a"]), [["a", "a"]]);
    assert.deepEqual(collisions(["Logo.png", "logo.PNG"]), [["Logo.png", "logo.PNG"]]);
    assert.deepEqual(collisions(["\u00e9", "e\u0301"]), [["\u00e9", "e\u0301"]]);
    assert.deepEqual(collisions(["straße", "STRASSE"]), [["straße", "STRASSE"]]);
    assert.deepEqual(collisions(["\u212a", "k"]), [["\u212a", "k"]]);
  });

  it("finds a file where another needs a folder, in either order", () => {
    assert.deepEqual(collisions(["server", "server/a.yml"]), [["server", "server/a.yml"]]);
    assert.deepEqual(collisions(["server/a/b", "Server/A"]), [["Server/A", "server/a/b"]]);
  });

  it("lets neighbours be", () => {
    assert.deepEqual(collisions(["a/b", "a/c", "ab", "a.b", "b/a"]), []);
  });

  it("is quick for many paths", () => {
    const paths = Array.from({ length: FILE_COUNT_MAX }, (_, i) => `1/2/3/4/5/6/7/8/9/${i}`);
    const elapsedMs = startProcessorClock();
    assert.deepEqual(collisions(paths), []);
    assert.ok(elapsedMs() < 1_000);
  });
});

describe("fileSetProblems", () => {
  const file = (path: string, sizeBytes = 1) => ({ path, sizeBytes });

  it("is undefined for a set at every limit", () => {
    const files = Array.from({ length: FILE_COUNT_MAX }, (_, i) => file(`${i}`, 0));
    for (let i = 0; i < 5; i += 1) files[i] = file(`${i}`, FILE_BYTES_MAX);
    assert.equal(5 * FILE_BYTES_MAX, SET_BYTES_MAX);
    assert.equal(fileSetProblems(files, "files"), undefined);
  });

  it("names every limit that is passed", () => {
    const files = Array.from({ length: FILE_COUNT_MAX + 1 }, (_, i) =>
      file(`${i}`, FILE_BYTES_MAX),
    );
    files[7] = file("big.png", FILE_BYTES_MAX + 1);
    assert.deepEqual(
      { ...fileSetProblems(files, "files") },
      {
        "big.png": ["is larger than 20 MiB"],
        files: ["holds more than 2000 files", "holds more than 100 MiB"],
      },
    );
  });

  it("reports each bad path and collision under its path", () => {
    const problems = fileSetProblems([file("../x"), file("a"), file("A"), file("a")], "files");
    assert.deepEqual(
      { ...problems },
      { "../x": ["contains '..'"], A: ["collides with 'a'"], a: ["is there twice"] },
    );
  });
});

describe("ProblemList", () => {
  it("has no prototype to stumble over", () => {
    const list = new ProblemList();
    list.add("constructor", "x");
    list.add("__proto__", "y");
    assert.deepEqual(Object.keys(list.result() ?? {}), ["constructor", "__proto__"]);
    assert.equal(Object.getPrototypeOf(list.result()), null);
  });

  it("keeps a screenful, says each thing once and shows only what can be shown", () => {
    const list = new ProblemList();
    list.add("a\u202e\0", "x");
    list.add("a\u202e\0", "x");
    list.add("b".repeat(1_000), "x");
    for (let i = 0; i < 1_000; i += 1) list.add(`c${i}`, "x");
    const entries = Object.entries(list.result() ?? {});
    assert.equal(entries.length, 50);
    assert.deepEqual(entries[0], ["a\\u202e\\u0000", ["x"]]);
    assert.equal(entries[1]?.[0].length, 201);
  });
});

describe("toFileSet", () => {
  it("sorts by path, the same way everywhere", () => {
    const files = ["b", "a/b", "é", "B", "a", "a.b"].map(
      (path) => [path, Buffer.alloc(0)] as const,
    );
    assert.deepEqual([...toFileSet(files).keys()], ["B", "a", "a.b", "a/b", "b", "é"]);
  });
});
