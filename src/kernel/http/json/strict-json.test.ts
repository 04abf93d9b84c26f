import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { startProcessorClock } from "#test/support/slowness.ts";
import { parseStrictJson } from "./strict-json.ts";

function parse(text: string) {
  return parseStrictJson(Buffer.from(text));
}

function refusal(text: string) {
  const result = parse(text);
  assert.ok(!result.ok, `accepted: ${text.slice(0, 80)}`);
  return result;
}

describe("parseStrictJson", () => {
  it("gives the value of every kind of JSON text", () => {
    const texts = [
      "null",
      "true",
      "false",
      "0",
      "-0",
      "1.5e-3",
      '""',
      "[]",
      "{}",
      ' \t\r\n{"a":[1]} ',
    ];
    for (const text of texts) assert.deepEqual(parse(text), { ok: true, value: JSON.parse(text) });
  });

  it("strips one byte order mark and refuses a second", () => {
    assert.deepEqual(parse('\ufeff{"a":1}'), { ok: true, value: { a: 1 } });
    refusal('\ufeff\ufeff{"a":1}');
  });

  it("refuses bytes that are not UTF-8", () => {
    const broken = [
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0xaf, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xe2, 0x82, 0x22],
      [...Buffer.from('\ufeff{"é":1}', "utf16le")],
    ];
    for (const bytes of broken) {
      const expected = { ok: false, problem: "The body is not valid UTF-8." };
      assert.deepEqual(parseStrictJson(Buffer.from(bytes)), expected);
    }
  });

  it("refuses a body of nothing", () => {
    for (const text of ["", " \n ", "\ufeff"]) {
      assert.equal(refusal(text).problem, "The body is empty.");
    }
  });

  it("refuses numbers that would come back as others, and keeps all that do not", () => {
    for (const number of ["1e309", "-1e400", "9".repeat(400), `${"9".repeat(310)}.5`]) {
      assert.match(refusal(number).problem, /^A number is too large \(/);
    }
    assert.match(refusal("-1e-400").problem, /^A number is too small \(/);
    const lossy = ["9007199254740993", "-12345678901234567890", "1".repeat(20)];
    lossy.push("9007199254740993.0", "9007199254740993e0", "99999999999999999999e0");
    lossy.push(
      "123456789012345.1234",
      "123456789012345.13",
      "-0.12345678901234567890",
      "1.21e-322",
    );
    for (const number of lossy) {
      const { problem, path } = refusal(`{"card":{"no":[${number}]}}`);
      assert.match(problem, /^A number has more digits than can be kept: send it as a string \(/);
      assert.equal(path, "card.no[0]");
    }
    const kept = [Number.MAX_SAFE_INTEGER, 2 ** 60, -(2 ** 69), Number.MAX_VALUE, 5e-324, 0.1];
    kept.push(
      0.1 + 0.2,
      1 / 3,
      48.85661400000001,
      99999999999.9999,
      -1e-7,
      2.2250738585072014e-308,
    );
    for (const number of kept) assert.deepEqual(parse(String(number)), { ok: true, value: number });
    const written = [
      `1${"0".repeat(21)}`,
      `1${"0".repeat(22)}`,
      "1E+22",
      "120e-1",
      "0e999",
      "-0.0e5",
    ];
    for (const text of written) assert.deepEqual(parse(text), { ok: true, value: Number(text) });
    assert.deepEqual(parse("1.0000000000000000"), { ok: true, value: 1 });
  });

  it("property: every number that JavaScript writes is kept, and so is every one of 15 digits", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const { value } = parse(String(number)) as { value: number };
        assert.equal(value, number === 0 ? value : number);
      }),
    );
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }), fc.nat(15), (digits, point) => {
        const all = String(digits).padStart(16, "0");
        const text = `${all.slice(0, 16 - point)}.${all.slice(16 - point)}0`;
        const sent = text.replace(/^0+(?=[0-9])/, "");
        assert.ok(parse(sent).ok, sent);
      }),
    );
  });

  it("accepts nesting up to the limit and refuses one level more", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    assert.ok(parse(nested(64)).ok);
    assert.match(refusal(nested(65)).problem, /^The body is nested deeper than 64 levels/);
    assert.ok(parseStrictJson(Buffer.from(nested(3)), { depth: 3 }).ok);
    assert.ok(!parseStrictJson(Buffer.from(nested(4)), { depth: 3 }).ok);
  });

  it("refuses 10,000 levels and a million, closed or not", () => {
    for (const depth of [10_000, 1_000_000]) {
      refusal("[".repeat(depth));
      refusal('{"a":'.repeat(depth));
      refusal("[".repeat(depth) + "]".repeat(depth));
    }
  });

  it("names a duplicate key, its place and its path, however it is written", () => {
    assert.deepEqual(refusal('{"a":1,\n "a":2}'), {
      ok: false,
      problem: "The key 'a' appears twice in one object (line 2, column 2).",
      path: "a",
    });
    assert.equal(refusal('{"x":[0,{"a":1,"\\u0061":2}]}').path, "x[1].a");
    refusal('{"😀":1,"\\ud83d\\ude00":2}');
    refusal('{"":1,"":2}');
  });

  it("accepts the same key in different objects", () => {
    assert.ok(parse('{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":1}}').ok);
  });

  it("refuses __proto__ at any depth and in any spelling, and pollutes nothing", () => {
    for (const key of ["__proto__", "\\u005f_proto__", "__pr\\u006fto__"]) {
      assert.match(refusal(`{"${key}":{"bad":1}}`).problem, /'__proto__' is not allowed/);
      refusal(`[{"a":{"${key}":null}}]`);
    }
    assert.equal(Reflect.get({}, "bad"), undefined);
    assert.ok(parse('["__proto__"]').ok, "as a value it is only a word");
  });

  it("accepts constructor and prototype as names, but not the second inside the first", () => {
    assert.ok(parse('{"constructor":"Ferrari","prototype":{"constructor":1}}').ok);
    assert.match(refusal('{"constructor":{"prototype":{}}}').problem, /inside 'constructor'/);
    refusal('{"c\\u006fnstructor":{"a":1,"prototype":{}}}');
  });

  it("refuses NUL in keys and strings, raw or escaped", () => {
    for (const text of ['"\\u0000"', '{"a\\u0000":1}', '"a\u0000b"', '["x", "\\u0000"]']) {
      assert.match(refusal(text).problem, /NUL/);
    }
    assert.ok(parse('"\\\\u0000"').ok, "an escaped backslash before u0000 is not NUL");
  });

  it("refuses half of a surrogate pair and accepts a whole one", () => {
    for (const half of ["\\ud83d", "\\ude00", "\\ud83d\\ud83d", "\\ud83dx", "\\ude00\\ud83d"]) {
      assert.match(refusal(`"${half}"`).problem, /surrogate/);
      refusal(`{"${half}":1}`);
    }
    assert.deepEqual(parse('"\\ud83d\\ude00\\uD83D\\uDE00"'), { ok: true, value: "😀😀" });
  });

  it("refuses more keys in all than the limit", () => {
    const objects = (count: number) => Buffer.from(`[${Array(count).fill('{"a":1}').join(",")}]`);
    assert.ok(parseStrictJson(objects(5), { keys: 5 }).ok);
    assert.ok(!parseStrictJson(objects(6), { keys: 5 }).ok);
    assert.ok(parseStrictJson(objects(100_000)).ok);
    assert.ok(!parseStrictJson(objects(100_001)).ok);
  });

  it("refuses an object with more members than can be checked in a moment", () => {
    const object = (count: number) =>
      Buffer.from(`{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(",")}}`);
    assert.ok(parseStrictJson(object(5), { members: 5 }).ok);
    assert.ok(!parseStrictJson(object(6), { members: 5 }).ok);
    assert.ok(parseStrictJson(object(5_000)).ok);
    const refused = refusal(object(5_001).toString());
    assert.match(refused.problem, /^An object has more than 5000 members/);
  });

  it("refuses more values than a call can need, without reading the rest", () => {
    assert.ok(parse(`[${"[],".repeat(249_998)}1]`).ok);
    const processorMs = startProcessorClock();
    const refused = refusal(`{"files":[${"[],".repeat(10_000_000)}1]}`);
    assert.match(refused.problem, /^The body has too many values \(line 1, column \d+\)/);
    assert.ok(processorMs() < 2_000);
  });

  it("says what was expected and where", () => {
    const cases = {
      '{"a":1,}': "Expected a key in double quotes but found '}' (line 1, column 8).",
      "{'a':1}": "Expected a key in double quotes but found ''' (line 1, column 2).",
      '{"a" 1}': "Expected ':' but found '1' (line 1, column 6).",
      '{"a":1 "b":2}': "Expected ',' or '}' but found '\"' (line 1, column 8).",
      "[1 2]": "Expected ',' or ']' but found '2' (line 1, column 4).",
      "[1}": "Expected ',' or ']' but found '}' (line 1, column 3).",
      "[1,]": "Expected a value but found ']' (line 1, column 4).",
      "[01]": "Expected ',' or ']' but found '1' (line 1, column 3).",
      "[\n  nope]": "Expected a value but found 'n' (line 2, column 3).",
      "1 😀": "Expected the end of the body but found '😀' (line 1, column 3).",
      '"\\x"': "A backslash in a string does not start a valid escape (line 1, column 2).",
      '"abc': "The string that starts here is never closed (line 1, column 1).",
      '"a\nb"':
        "A control character that is not escaped is not allowed in a string (line 1, column 3).",
      '{"a":': "The JSON ends too early.",
      '{"a"': "The JSON ends too early.",
      "[1,": "The JSON ends too early.",
    };
    for (const [text, problem] of Object.entries(cases)) {
      assert.equal(refusal(text).problem, problem);
    }
  });

  it("echoes little of the input, on one printable line", () => {
    const key = `\u202e\u0007${"x".repeat(5000)}`;
    const { problem, path } = refusal(`{${JSON.stringify(key)}:1,${JSON.stringify(key)}:2}`);
    assert.ok(problem.length < 120, problem);
    assert.match(problem, /^[^\p{C}]+$/u);
    assert.ok((path ?? "").length <= 120);
  });

  it("takes hostile megabytes in linear time", () => {
    const size = 1 << 20;
    const keys = Array.from({ length: 90_000 }, (_, index) => `"k${index}":0`);
    const bodies = [
      "[".repeat(size),
      "\n".repeat(size),
      '"'.repeat(size),
      `"${"\\".repeat(size)}`,
      `"${"\\u0041".repeat(size / 6)}"`,
      "1".repeat(size),
      `[${"[],".repeat(size / 3)}[]]`,
      `{${keys.join(",")}}`,
    ].map((text) => Buffer.from(text));
    for (const body of bodies) {
      // The best of three: a busy machine may interrupt any one of them.
      const times = [1, 2, 3].map(() => {
        const elapsedMs = startProcessorClock();
        parseStrictJson(body);
        return elapsedMs();
      });
      assert.ok(Math.min(...times) < 300, `${body.subarray(0, 8)}… took ${Math.min(...times)} ms`);
    }
  });

  it("property: every JSON value makes the round trip", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: "grapheme", maxDepth: 8 }),
        fc.nat(4),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent);
          fc.pre(!/__proto__|\\u0000|"constructor"/.test(text));
          assert.deepEqual(parse(text), { ok: true, value: JSON.parse(text) });
        },
      ),
    );
  });

  it("property: on any text it accepts only what JSON.parse accepts, with the same value", () => {
    const soup = fc.array(
      fc.constantFrom(
        ...'{}[]:,"\\0123.-+eE \n\ttrufalsn/b\u0000é😀',
        ...['"a"', '"b":', "null", "\\u00", "\\ud83d", '{"a":1}', "[1]", "1e5", "0.5"],
      ),
      { maxLength: 24 },
    );
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      soup.map((parts) => parts.join("")),
      fc
        .json()
        .chain((json) =>
          fc
            .tuple(fc.nat(json.length), fc.nat(3), fc.constantFrom("", '"', "}", ",", "\\", "0"))
            .map(
              ([at, length, inserted]) => json.slice(0, at) + inserted + json.slice(at + length),
            ),
        ),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const result = parse(text);
        const reference = nativeParse(text.toWellFormed());
        if (result.ok) assert.deepEqual(result.value, reference?.value);
        else if (reference !== undefined)
          assert.match(
            result.problem,
            /twice|NUL|surrogate|allowed|too large|too small|more digits/,
          );
      }),
      { numRuns: 3000 },
    );
  });

  it("property: any bytes whatever give an answer", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        assert.equal(typeof parseStrictJson(Buffer.from(bytes)).ok, "boolean");
      }),
    );
  });
});

function nativeParse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text.replace(/^\ufeff/, "")) };
  } catch {
    return undefined;
  }
}
