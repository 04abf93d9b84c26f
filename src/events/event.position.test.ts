import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { BEGINNING, decodePosition, encodePosition } from "./event.position.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64url");

describe("the cursor of the feed", () => {
  it("property: gives back the place it was made of, to the digit", () => {
    const xact = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
    const sequence = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String);
    fc.assert(
      fc.property(xact, sequence, (left, right) => {
        const position = { xact: left, sequence: right };
        assert.deepEqual(decodePosition(encodePosition(position)), position);
        assert.match(encodePosition(position), /^[\w-]{1,60}$/);
      }),
    );
    assert.deepEqual(decodePosition(encodePosition(BEGINNING)), BEGINNING);
  });

  it("property: is refused, and nothing worse, when it is anything else", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string().map(base64)), (text) => {
        const position = decodePosition(text);
        if (position !== undefined) assert.equal(encodePosition(position), text);
      }),
    );
    const others = ["1", "1.", ".1", "01.1", "1.-1", "1.1.1", "1e3.1", " 1.1", "1.1\n", "x.y"];
    const tooGreat = [`${2n ** 64n}.1`, `1.${2n ** 63n}`, `1.${"9".repeat(30)}`];
    for (const text of [...others, ...tooGreat]) {
      assert.equal(decodePosition(base64(text)), undefined, text);
    }
    assert.equal(decodePosition(`${encodePosition(BEGINNING)}=`), undefined);
    assert.equal(decodePosition(""), undefined);
  });
});
