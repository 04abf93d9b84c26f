import { allChanges, bytesOf, CAPITALS, DIGITS, leastCost, SMALL } from "./modes.cost.ts";

/**
 * The bits of the largest symbol, with the error correction that ISO/IEC 24778 recommends. Less is allowed, but
 * iOS and Google's libraries take this or more.
 */
const BITS_MAX = 15_336;

const [UPPER, LOWER, MIXED, PUNCTUATION, DIGIT] = [0, 1, 2, 3, 4];
/** Modes from which bytes can be written, and the modes of many bytes within them. */
const BYTES_OF: readonly (readonly [mode: number, bytes: number])[] = [
  [UPPER, 5],
  [LOWER, 6],
  [MIXED, 7],
];
const BITS = 5;
/** No message has more: nothing is shorter than two characters in one sign, not even digits. */
export const AZTEC_BYTES_MAX = Math.floor((2 * BITS_MAX) / BITS);
const BITS_OF_DIGIT = 4;
/** A shift and the number of bytes: up to 31 in five bits, more in eleven further ones. */
const FEW_BYTES = 31;
const BEFORE_FEW = 2 * BITS;
const BEFORE_MANY = BEFORE_FEW + 11;

const CHANGES = allChanges(8, [
  [UPPER, LOWER, BITS],
  [UPPER, MIXED, BITS],
  [UPPER, DIGIT, BITS],
  [LOWER, MIXED, BITS],
  [LOWER, DIGIT, BITS],
  [MIXED, UPPER, BITS],
  [MIXED, LOWER, BITS],
  [MIXED, PUNCTUATION, BITS],
  [PUNCTUATION, UPPER, BITS],
  [DIGIT, UPPER, BITS_OF_DIGIT],
  ...BYTES_OF.map(([mode, bytes]) => [mode, bytes, BEFORE_MANY] as const),
  ...BYTES_OF.map(([mode, bytes]) => [bytes, mode, 0] as const),
]);

const OF_UPPER = bytesOf(`${CAPITALS} `);
const OF_PUNCTUATION = bytesOf("\r!\"#$%&'()*+,-./:;<=>?[]{}");
const CONTROLS = String.fromCharCode(
  ...Array.from({ length: 13 }, (_, at) => at + 1),
  ...[27, 28, 29, 30, 31, 127],
);
/** By mode. */
const CHARACTERS = [
  OF_UPPER,
  bytesOf(`${SMALL} `),
  bytesOf(`${CONTROLS} @\\^_\`|~`),
  OF_PUNCTUATION,
  bytesOf(`${DIGITS} ,.`),
];
/** Two characters that are one of the signs. */
const PAIRS = ["\r\n", ". ", ", ", ": "];
const OF_PAIRS = bytesOf("\r.,:");

/** Whether some Aztec code holds these bytes, by the best way of writing them. */
export function fitsAztec(bytes: Buffer): boolean {
  const text = bytes.toString("latin1");
  const bits = leastCost(bytes.length, CHANGES, (at, mode, cost, reach) => {
    const to = (length: number, more: number) => reach(at + length, mode, cost + more);
    if (mode > DIGIT) return to(1, 8);
    const byte = bytes[at] ?? 0;
    const own = mode === DIGIT ? BITS_OF_DIGIT : BITS;
    if (CHARACTERS[mode]?.[byte]) to(1, own);
    // A shift is for one character. It is as long as those of the mode that it leaves.
    if ((mode === LOWER || mode === DIGIT) && OF_UPPER[byte]) to(1, own + BITS);
    const shift = mode === PUNCTUATION ? 0 : own;
    if (OF_PUNCTUATION[byte]) to(1, shift + BITS);
    if (OF_PAIRS[byte] && PAIRS.some((pair) => text.startsWith(pair, at))) to(2, shift + BITS);
    // Bytes begin with one that the mode does not have: its own character would be shorter before them.
    if (mode === PUNCTUATION || mode === DIGIT || CHARACTERS[mode]?.[byte]) return;
    for (let length = 1; length <= FEW_BYTES; length += 1) to(length, BEFORE_FEW + 8 * length);
  });
  return bits <= BITS_MAX;
}
