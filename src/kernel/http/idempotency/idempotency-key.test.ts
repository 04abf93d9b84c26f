import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { fingerprint, readIdempotencyKey } from "./idempotency-key.ts";

describe("readIdempotencyKey", () => {
  it("takes a bare value and a quoted string as the same key", () => {
    for (const header of ["abc-123", '"abc-123"', ' "abc-123" ']) {
      assert.deepEqual(readIdempotencyKey(header), { ok: true, key: "abc-123" });
    }
    assert.deepEqual(readIdempotencyKey('"a\\"b\\\\c"'), { ok: true, key: 'a"b\\c' });
  });

  it("takes up to 255 characters, quotes not counted", () => {
    const longest = "x".repeat(255);
    assert.deepEqual(readIdempotencyKey(longest), { ok: true, key: longest });
    assert.deepEqual(readIdempotencyKey(`"${longest}"`), { ok: true, key: longest });
    assert.ok(!readIdempotencyKey(`${longest}x`).ok);
    assert.ok(!readIdempotencyKey(`"${longest}x"`).ok);
  });

  it("refuses nothing at all, spaces, two keys, broken quotes and what is not ASCII", () => {
    const bad = [
      "",
      "  ",
      '""',
      "a b",
      '"a b"',
      "k1, k2",
      '"k1", "k2"',
      '"a',
      '"a"b',
      '"a\\x"',
      '"',
    ];
    bad.push('"a";p=1', "é", '"é"', "a\tb", "a\u007f", "a\nb");
    for (const header of bad) {
      const result = readIdempotencyKey(header);
      assert.ok(!result.ok, header);
      assert.match(result.problem, /^The Idempotency-Key header .+\.$/);
    }
  });

  it("property: any visible key makes the round trip, quoted; any text gives an answer", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-~]{1,60}$/), (key) => {
        const quoted = `"${key.replace(/["\\]/g, "\\$&")}"`;
        assert.deepEqual(readIdempotencyKey(quoted), { ok: true, key });
      }),
    );
    fc.assert(
      fc.property(fc.string(), (header) => {
        const result = readIdempotencyKey(header);
        if (result.ok) assert.match(result.key, /^[!-~]{1,255}$/);
      }),
    );
  });
});

describe("fingerprint", () => {
  it("is 64 hexadecimal characters, the same for keys in any order", () => {
    const left = fingerprint({ b: [1, { y: null, x: "é" }], a: true });
    const right = fingerprint({ a: true, b: [1, { x: "é", y: null }] });
    assert.match(left, /^[0-9a-f]{64}$/);
    assert.equal(left, right);
  });

  it("differs with any other content", () => {
    const bodies: unknown[] = [
      undefined,
      null,
      {},
      [],
      "",
      0,
      false,
      "0",
      { a: 1 },
      { a: "1" },
      { b: 1 },
    ];
    bodies.push([1, 2], [2, 1], [[1], 2], { a: { b: 1 } }, { "a.b": 1 });
    bodies.push(JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":{"a":1}}'));
    bodies.push(Buffer.from("{}"), Buffer.from(""), Buffer.from('""'));
    assert.equal(new Set(bodies.map(fingerprint)).size, bodies.length);
  });

  it("property: equal exactly when the JSON values are equal", () => {
    const key = fc.constantFrom("a", "b", "10", "9", "é");
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>(1, "1", null),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(key, tie("value"), { maxKeys: 3, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(value, value, (left, right) => {
        assert.equal(fingerprint(left), fingerprint(reverseKeys(left)));
        assert.equal(fingerprint(left) === fingerprint(right), isSame(left, right));
      }),
    );
  });
});

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, reverseKeys(member)] as const);
  return Object.fromEntries(entries.reverse());
}

function isSame(left: unknown, right: unknown): boolean {
  try {
    assert.deepStrictEqual(left, right);
    return true;
  } catch {
    return false;
  }
}
