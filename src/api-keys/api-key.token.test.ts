import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  displayPrefix,
  hashToken,
  makeToken,
  parseToken,
  TOKEN_PATTERN,
  type TokenFacts,
} from "./api-key.token.ts";

const facts: fc.Arbitrary<TokenFacts> = fc.record(
  {
    environment: fc.constantFrom("staging", "production"),
    kind: fc.constantFrom("api-key", "device"),
  },
  { noNullPrototype: true },
);
const random = fc.uint8Array({ minLength: 32, maxLength: 32 });
const token = fc.tuple(facts, random).map(([about, bytes]) => makeToken(about, bytes));
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-";

describe("API key tokens", () => {
  it("say which environment and kind they are for", () => {
    fc.assert(
      fc.property(facts, random, (about, bytes) => {
        assert.deepEqual(parseToken(makeToken(about, bytes)), about);
      }),
    );
  });

  it("carry the published prefixes and lengths", () => {
    const shapes = [
      [{ environment: "production", kind: "api-key" }, /^bf_live_[0-9A-Za-z]{49}$/],
      [{ environment: "staging", kind: "api-key" }, /^bf_test_[0-9A-Za-z]{49}$/],
      [{ environment: "production", kind: "device" }, /^bf_dev_live_[0-9A-Za-z]{49}$/],
      [{ environment: "staging", kind: "device" }, /^bf_dev_test_[0-9A-Za-z]{49}$/],
    ] as const;
    for (const [about, shape] of shapes) assert.match(makeToken(about), shape);
  });

  it("are refused with any one character replaced", () => {
    fc.assert(
      fc.property(token, fc.nat(), fc.constantFrom(...ALPHABET), (text, at, character) => {
        const index = at % text.length;
        fc.pre(text[index] !== character);
        assert.equal(
          parseToken(text.slice(0, index) + character + text.slice(index + 1)),
          undefined,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it("are refused with a character lost, added, or two neighbours exchanged", () => {
    fc.assert(
      fc.property(token, fc.nat(), fc.constantFrom(...ALPHABET), (text, at, character) => {
        const index = at % (text.length - 1);
        const [left, right] = [text.slice(0, index), text.slice(index)];
        assert.equal(parseToken(left + right.slice(1)), undefined);
        assert.equal(parseToken(left + character + right), undefined);
        if (text[index] === text[index + 1]) return;
        const exchanged = `${left}${right[1]}${right[0]}${right.slice(2)}`;
        assert.equal(parseToken(exchanged), undefined);
      }),
    );
  });

  it("cannot be carried to the other environment by editing the prefix", () => {
    fc.assert(
      fc.property(token, (text) => {
        const edited = text.includes("_live_")
          ? text.replace("_live_", "_test_")
          : text.replace("_test_", "_live_");
        assert.equal(parseToken(edited), undefined);
      }),
    );
  });

  it("are never seen in arbitrary text, whitespace and line ends included", () => {
    fc.assert(fc.property(fc.string(), (text) => assert.equal(parseToken(text), undefined)));
    const text = makeToken({ environment: "staging", kind: "api-key" });
    for (const near of [
      `${text}\n`,
      ` ${text}`,
      `${text} `,
      text.toUpperCase(),
      `${text}, ${text}`,
    ]) {
      assert.equal(parseToken(near), undefined);
    }
  });

  it("are found by the published pattern wherever they stand, and whole", () => {
    fc.assert(
      fc.property(token, (text) => {
        assert.equal(TOKEN_PATTERN.exec(`key: "${text}",`)?.[0], text);
        assert.equal(TOKEN_PATTERN.exec(`X-API-KEY=${text}\n`)?.[0], text);
      }),
    );
  });

  it("are unlike each other, and only four random characters are ever shown", () => {
    const about = { environment: "staging", kind: "api-key" } as const;
    const tokens = Array.from({ length: 1_000 }, () => makeToken(about));
    assert.equal(new Set(tokens).size, tokens.length);
    for (const text of tokens.slice(0, 20)) {
      assert.equal(displayPrefix(text), text.slice(0, "bf_test_".length + 4));
    }
    const device = makeToken({ environment: "production", kind: "device" });
    assert.equal(displayPrefix(device), device.slice(0, "bf_dev_live_".length + 4));
  });

  it("are stored as their SHA-256", () => {
    assert.equal(
      hashToken("abc").toString("hex"),
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });
});
