import { allChanges, bytesOf, CAPITALS, DIGITS, leastCost, SMALL } from "./modes.cost.ts";

/** In texts, a codeword has two characters, shifts or changes. */
const HALF = 1;
const CODEWORD = 2 * HALF;
/** Six bytes are five codewords, others one each. */
const GROUP_OF_BYTES = 6;
const SIZE_OF_GROUP = 5 * CODEWORD;
/** Digits are written in groups of so many at most. */
const GROUP_OF_DIGITS = 44;
const sizeOfDigits = (count: number) => (Math.floor(count / 3) + 1) * CODEWORD;

/** Of 928 codewords one is the length and two are the least error correction (ISO/IEC 15438). */
const SIZE_MAX = 925 * CODEWORD;

/** The first four are the modes of texts. */
const [ALPHA, LOWER, MIXED, PUNCTUATION, BYTES, NUMBERS] = [0, 1, 2, 3, 4, 5];
const TEXTS = [ALPHA, LOWER, MIXED, PUNCTUATION];
const CHANGES = allChanges(6, [
  [ALPHA, LOWER, HALF],
  [ALPHA, MIXED, HALF],
  [LOWER, MIXED, HALF],
  [MIXED, ALPHA, HALF],
  [MIXED, LOWER, HALF],
  [MIXED, PUNCTUATION, HALF],
  [PUNCTUATION, ALPHA, HALF],
  ...TEXTS.map((text) => [text, BYTES, CODEWORD] as const),
  ...TEXTS.map((text) => [text, NUMBERS, CODEWORD] as const),
  [BYTES, ALPHA, CODEWORD],
  [BYTES, NUMBERS, CODEWORD],
  [NUMBERS, ALPHA, CODEWORD],
  [NUMBERS, BYTES, CODEWORD],
]);

const OF_DIGITS = bytesOf(DIGITS);
const OF_ALPHA = bytesOf(`${CAPITALS} `);
const OF_PUNCTUATION = bytesOf(";<>@[\\]_`~!\r\t,:\n-.$/\"|*()?{}'");
/** By mode. */
const OF_TEXTS = [
  OF_ALPHA,
  bytesOf(`${SMALL} `),
  bytesOf(`${DIGITS}&\r\t,:#-.$/+%*=^ `),
  OF_PUNCTUATION,
];

/** Whether some PDF417 code holds these bytes, by the best way of writing them. */
export function fitsPdf417(bytes: Buffer): boolean {
  const size = leastCost(bytes.length, CHANGES, (at, mode, cost, reach) => {
    const byte = bytes[at] ?? 0;
    const to = (more: number) => reach(at + 1, mode, cost + more);
    if (mode === BYTES) {
      reach(at + GROUP_OF_BYTES, mode, cost + SIZE_OF_GROUP);
      return to(CODEWORD);
    }
    if (mode === NUMBERS) {
      for (let count = 1; count <= GROUP_OF_DIGITS; count += 1) {
        if (!OF_DIGITS[bytes[at + count - 1] ?? 0]) return;
        reach(at + count, mode, cost + sizeOfDigits(count));
      }
      return;
    }
    if (OF_TEXTS[mode]?.[byte]) to(HALF);
    // A shift is for one character.
    if (mode !== PUNCTUATION && OF_PUNCTUATION[byte]) to(2 * HALF);
    if (mode === LOWER && OF_ALPHA[byte]) to(2 * HALF);
    return to(2 * CODEWORD);
  });
  return size <= SIZE_MAX;
}
