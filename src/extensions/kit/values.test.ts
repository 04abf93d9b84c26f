import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { decimalAt, memberAt, parseVendorJson, textAt } from "./values.ts";

const parse = (text: string) => parseVendorJson(Buffer.from(text));

describe("parseVendorJson", () => {
  it("reads what JSON.parse reads, and nothing that it refuses", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        assert.deepEqual(parse(text), JSON.parse(text));
      }),
    );
    const pieces = fc.constantFrom(...'[]{}:,"\\ 0123456789.-+eEtruefalsn'.split(""));
    fc.assert(
      fc.property(
        fc.array(pieces).map((some) => some.join("")),
        (text) => {
          let wanted: unknown;
          try {
            wanted = JSON.parse(text);
          } catch {
            wanted = undefined;
          }
          // Numbers that a double would change are another matter.
          if (!/\d{16}|\d[eE]/.test(text)) assert.deepEqual(parse(text), wanted);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("keeps every digit of numbers that a double would change", () => {
    for (const digits of ["706405506930370084", "-9007199254740993", "0.1234567890123456789"]) {
      const body = parse(`{"id": ${digits}, "list": [${digits}], "name": "${digits}"}`);
      assert.deepEqual(
        [textAt(body, "id"), textAt(body, "list.0"), memberAt(body, "id")],
        [digits, digits, digits],
      );
    }
    fc.assert(
      fc.property(fc.bigInt(), (id) => {
        assert.equal(textAt(parse(`{"id":${id}}`), "id"), String(id));
      }),
    );
    assert.equal(decimalAt(parse('{"total":12345678901234.5678}'), "total"), "12345678901234.5678");
    assert.deepEqual(parse('{"a":1.5,"b":1e3,"c":-0}'), { a: 1.5, b: 1_000, c: -0 });
  });

  it("leaves digits in texts alone, whatever stands before their quotes", () => {
    for (const text of ['"', "\\", '\\"', '\\\\"', "\\u0022", "é", "1e999"]) {
      const value = { [`${text}12345678901234567890`]: `${text} 12345678901234567890 ${text}` };
      assert.deepEqual(parse(JSON.stringify(value)), value);
    }
  });

  it("refuses what is too deep, too much or not UTF-8", () => {
    assert.notEqual(parse("[".repeat(64) + "]".repeat(64)), undefined);
    assert.equal(parse("[".repeat(65) + "]".repeat(65)), undefined);
    assert.equal(parse("[".repeat(500_000)), undefined);
    assert.notEqual(parse(`[${"0,".repeat(4_999)}0]`), undefined);
    assert.equal(parse(`[${"0,".repeat(5_000)}0]`), undefined);
    assert.equal(parse(`[${`[${"0,".repeat(4_000)}0],`.repeat(10)}0]`), undefined);
    assert.equal(parse(`[${"1e5,".repeat(2_001)}0]`), undefined);
    assert.equal(parse("9".repeat(1_001)), undefined);
    assert.equal(parse('{"name":"unclosed'), undefined);
    assert.equal(parseVendorJson(Buffer.from('{"name":"Zoë"}', "latin1")), undefined);
    assert.equal(parseVendorJson(Buffer.from('{"name":"Zoë"}', "utf16le")), undefined);
  });

  it("of two members with the same name the last one counts, as vendors write them", () => {
    assert.deepEqual(parse('{"id":1,"id":2}'), { id: 2 });
    const odd = parse('{"__proto__":{"id":1},"constructor":{"prototype":{"id":2}}}');
    assert.equal(textAt(odd, "id"), undefined);
    assert.equal(textAt({}, "id"), undefined);
  });
});
