import assert from "node:assert/strict";
import { describe, it } from "node:test";
import bwipjs from "bwip-js/node";
import fc from "fast-check";
import { RenderBudget } from "../liquid/budget.ts";
import { barcodeProblem } from "./barcode.problem.ts";

type Format = "qr" | "pdf417" | "aztec";

/** The largest symbols that bwip-js draws. */
const SYMBOLS = {
  qr: { bcid: "qrcode", eclevel: "L" },
  // 29 columns and 32 rows are all 928 codewords. It counts no further, and would draw more rows than there are.
  pdf417: { bcid: "pdf417", eclevel: 0, fixedeclevel: true, columns: 29 },
  aztec: { bcid: "azteccode" },
} as const;
const ROWS_MAX = 32;
const PIXELS_OF_ROW = 3;

/** In the bytes that wallets are told to write. */
function bytesOf(text: string): string {
  const isLatin1 = !/[^\0-\xff]/u.test(text);
  return Buffer.from(text, isLatin1 ? "latin1" : "utf8").toString("latin1");
}

function canBeDrawn(format: Format, text: string): boolean {
  try {
    const options = { ...SYMBOLS[format], text: bytesOf(text), binarytext: true };
    const [symbol] = bwipjs.raw(options);
    const rows = symbol !== undefined && "pixy" in symbol ? symbol.pixy / PIXELS_OF_ROW : Infinity;
    return format !== "pdf417" || rows <= ROWS_MAX;
  } catch (error) {
    assert.match(String(error), /too long|TooLong|Maximum length|Insufficient capacity/);
    return false;
  }
}

/** Characters that formats write in different modes, each by itself and mixed. */
const ALPHABETS: readonly Iterable<string>[] = [
  ...["0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "$%*+-./: "],
  ...["!\"#&'()*,;<=>?@[\\]^_`{|}~", "ABCabc012 ., :", "aA1-", "aB", "A0", "0123456789-"],
  ...["\r\n. , ", "\0\x01\x1b\x7f", "\xe0\xe1\x81\x9f\xfc", "ü1", "日本例", "Жя", "🎫a"],
];
/** Two characters that are one sign of an Aztec code, by themselves and among others. */
const PAIRS = [", ", ". ", ": ", "\r\n"] as const;
const OF_PAIRS: readonly Iterable<string>[] = [
  ...[PAIRS, [", ", "a"], [", ", "7"], [". ", "A", "\xe0"], [": ", "\r\n", "a", "B"]],
  ...["\xe0\xe1", "aB", "A7", "0123456789", ".,: "],
];
const LONGEST = 8_000;

/** Longer than any format takes, so that each is tried where it ends. */
const messagesOf = (alphabets: readonly Iterable<string>[]) => {
  const part = fc.record({
    alphabet: fc.constantFrom(...alphabets),
    length: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 500 })),
    step: fc.integer({ min: 1, max: 9 }),
  });
  return fc.array(part, { minLength: 1, maxLength: 10 }).map((parts) => {
    let message = "";
    while (message.length < LONGEST) {
      for (const { alphabet, length, step } of parts) {
        const characters = [...alphabet];
        const each = (_: unknown, at: number) =>
          characters[(at * step + (at >> 3)) % characters.length] ?? "";
        message += Array.from({ length }, each).join("");
      }
    }
    return message;
  });
};

/** The number of its characters that are called possible. */
function lengthPossible(format: Format, message: string): number {
  let [possible, impossible] = [0, message.length];
  while (impossible - possible > 1) {
    const length = (possible + impossible) >> 1;
    if (barcodeProblem(format, message.slice(0, length)) === undefined) possible = length;
    else impossible = length;
  }
  return possible;
}

/** What the standards name as the largest messages, and one character more. */
const LIMITS: readonly [format: Format, text: string, max: number][] = [
  ["qr", "7", 7_089],
  ["qr", "A", 4_296],
  ["qr", "a", 2_953],
  ["qr", "ü", 2_953],
  ["pdf417", "7", 2_710],
  ["pdf417", "A", 1_850],
  ["pdf417", "a", 1_849],
  ["pdf417", "-", 1_849],
  ["pdf417", "ü", 1_108],
  ["aztec", "7", 3_832],
  ["aztec", "A", 3_067],
  ["aztec", "a", 3_066],
  ["aztec", "ü", 1_914],
  // No table of the standard has these: 3,065 signs of five bits, after ten bits that change to their mode.
  ...PAIRS.map((pair): (typeof LIMITS)[number] => ["aztec", pair, 6_130]),
];

const RUNS: readonly [Format, alphabets: readonly Iterable<string>[], of: string, runs: number][] =
  [
    ["qr", ALPHABETS, "any characters", 12],
    ["pdf417", ALPHABETS, "any characters", 25],
    ["aztec", ALPHABETS, "any characters", 6],
    ["aztec", OF_PAIRS, "pairs", 12],
  ];

describe("a barcode that is called impossible", () => {
  for (const [format, text, max] of LIMITS) {
    it(`is a ${format} of ${max + 1} characters ${JSON.stringify(text)}, and not of ${max}`, () => {
      assert.equal(lengthPossible(format, text.repeat(LONGEST)), max);
    });
  }

  for (const [format, alphabets, of, numRuns] of RUNS) {
    it(`is a ${format} of ${of} that another program draws: never`, () => {
      fc.assert(
        fc.property(messagesOf(alphabets), (message) => {
          const first = message.slice(0, lengthPossible(format, message) + 1);
          assert.ok(first.length < message.length);
          assert.equal(canBeDrawn(format, first), false, `${first.length} characters`);
        }),
        { numRuns },
      );
    });
  }

  it("is not an Aztec code of 2,000 pairs, which another program draws", () => {
    const message = PAIRS.join("").repeat(500);
    assert.equal(barcodeProblem("aztec", message), undefined);
    assert.ok(canBeDrawn("aztec", message));
  });

  it("is named with the right article", () => {
    assert.match(
      barcodeProblem("aztec", "ü".repeat(1_915)) ?? "",
      / and an Aztec code holds 1914,/,
    );
    assert.match(barcodeProblem("qr", "ü".repeat(2_954)) ?? "", / and a QR code holds 2953,/);
  });

  it("is a Code 128 of ASCII that another program draws: never", () => {
    const ascii = fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 80 });
    fc.assert(
      fc.property(ascii, (text) => {
        bwipjs.raw({ bcid: "code128", text, binarytext: true });
        assert.equal(barcodeProblem("code128", text), undefined);
      }),
    );
    // The standard has a way to write these, which the encoders of wallets do not take.
    for (const text of ["Zürich", "日本", "A\x80"]) assert.ok(barcodeProblem("code128", text));
  });

  it("is not one of texts that mix letters, digits and signs as ordinary ones do", () => {
    for (const [format, text, count] of [
      ["pdf417", "Card 12-34 of Ada Lovelace, valid. ", 1_450],
      ["aztec", "Card 12-34 of Ada Lovelace, valid. ", 2_500],
      ["qr", "HTTPS://EXAMPLE.COM/PASS/1234567890/", 4_200],
    ] as const) {
      const message = text.repeat(count).slice(0, count);
      assert.equal(barcodeProblem(format, message), undefined, format);
      assert.ok(canBeDrawn(format, message), format);
      assert.ok(barcodeProblem(format, text.repeat(200)), format);
    }
  });

  it("is judged by the bytes of its encoding, where that is known, and else by the fewest", () => {
    const cases: readonly [encoding: string, text: string, max: number][] = [
      ["iso-8859-1", "ü", 2_953],
      ["utf-8", "ü", 2_953 >> 1],
      ["UTF-8", "日", Math.floor(2_953 / 3)],
      ["iso-8859-5", "я", 2_953],
      ["Shift_JIS", "日", 2_953],
      ["iso-8859-1", "日", 2_953],
      ["iso-8859-5", "7", 7_089],
    ];
    for (const [encoding, text, max] of cases) {
      assert.equal(barcodeProblem("qr", text.repeat(max), { encoding }), undefined, encoding);
      assert.match(
        barcodeProblem("qr", text.repeat(max + 1), { encoding }) ?? "",
        /bytes/,
        encoding,
      );
    }
    assert.match(
      barcodeProblem("qr", "я".repeat(3_000), { encoding: "iso-8859-5" }) ?? "",
      /at least 3000 bytes/,
    );
  });

  it("is one of many long ones of a pass, of which each is tried once", () => {
    const budget = new RenderBudget();
    const problemOf = (first: string) =>
      barcodeProblem("aztec", `${first}${", ".repeat(3_000)}`, { budget });
    for (const first of ["a", "b", "c", "d", "e", "a", "b"])
      assert.equal(problemOf(first), undefined);
    assert.match(problemOf("f") ?? "", /too long to be tried beside the other barcodes/);
    assert.equal(problemOf("e"), undefined);
    assert.equal(barcodeProblem("aztec", "A".repeat(1_000), { budget }), undefined);
  });

  it("is judged without the marks that explanations put into its text", () => {
    for (const format of ["qr", "pdf417", "aztec"] as const) {
      const max = lengthPossible(format, "A".repeat(LONGEST));
      assert.equal(barcodeProblem(format, `${"A".repeat(max)}\x9112\x92`), undefined);
    }
  });
});
