import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import Type from "typebox";
import { decimalFromUnits, decimalSent, parseDecimal, showDecimal, unitsOf } from "./decimal.ts";
import { digitsOf, exactNumber, parseExactJson } from "./exact-number.ts";
import { decimalMembersOf } from "./http/json/decimal-members.ts";
import { readJson } from "./http/json/json-thread.ts";
import { parseStrictJson } from "./http/json/strict-json.ts";

const MOST = 10n ** 19n - 1n;

describe("an exact decimal", () => {
  it("property: makes the way from units to text, to a number in JSON, and back", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -MOST, max: MOST }), (units) => {
        const text = decimalFromUnits(units);
        assert.equal(unitsOf(text), units);
        assert.equal(parseDecimal(text), text);
        assert.equal(JSON.stringify(showDecimal(text)), text);
        const read = parseExactJson(`{"value":[${text}]}`);
        assert.equal(JSON.stringify(read), `{"value":[${text}]}`);
      }),
    );
  });

  it("property: every double that has few enough digits is read as it is written", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const decimal = parseDecimal(number);
        if (decimal !== undefined) assert.equal(Number(decimal), number === 0 ? 0 : number);
      }),
    );
  });

  it("is a plain number where a double holds it, and otherwise its digits for JSON alone", () => {
    assert.equal(exactNumber("12.5"), 12.5);
    assert.equal(digitsOf(exactNumber("12.5")), undefined);
    assert.equal(digitsOf(exactNumber("123456789012345.6789")), "123456789012345.6789");
    assert.equal(digitsOf({ rawJSON: "1" }), undefined);
  });
});

describe("a body with exact decimals", () => {
  const Redeem = Type.Object({ amount: decimalSent() });
  const Body = Type.Object({
    value: Type.Optional(Type.Union([decimalSent(), Type.Null()])),
    scans: Type.Array(Type.Object({ redeem: Redeem })),
  });
  const LONG = "123456789012345.6789";

  it("keeps their digits as text, and only theirs", () => {
    const decimals = decimalMembersOf(Body);
    assert.deepEqual([...(decimals ?? [])], ["value", "scans[].redeem.amount"]);
    assert.equal(decimalMembersOf(Type.Object({ value: Type.Number() })), undefined);
    if (decimals === undefined) return;
    const read = (text: string) => parseStrictJson(Buffer.from(text), { decimals });
    const body = `{"value":${LONG},"scans":[{"redeem":{"amount":1}},{"redeem":{"amount":-${LONG}}}]}`;
    assert.deepEqual(read(body), {
      ok: true,
      value: {
        value: LONG,
        scans: [{ redeem: { amount: 1 } }, { redeem: { amount: `-${LONG}` } }],
      },
    });
    for (const place of [`{"other":${LONG}}`, `{"scans":[{"value":${LONG}}]}`, LONG, `[${LONG}]`]) {
      assert.equal(read(place).ok, false, place);
    }
  });

  it("keeps them in a body that is read by a thread, too", async () => {
    const decimals = decimalMembersOf(Body);
    const scans = Array.from({ length: 5_000 }, () => ({ redeem: { amount: 1 } }));
    const text = `{"value":${LONG},"scans":${JSON.stringify(scans)}}`;
    const read = await readJson(Buffer.from(text), "acme", decimals);
    assert.deepEqual(read, { ok: true, value: { value: LONG, scans } });
  });
});
