import { allChanges, bytesOf, CAPITALS, DIGITS, leastCost } from "./modes.cost.ts";

/** Sizes are in sixths of a bit: then digits, of which three take ten bits, are whole. */
const BIT = 6;

/** The data of the largest symbol, version 40 with the least error correction (ISO/IEC 18004). */
const SIZE_MAX = 23_648 * BIT;

const MODE = 4 * BIT;
const [NONE, NUMERIC, ALPHANUMERIC, BYTE, KANJI] = [0, 1, 2, 3, 4];
/** Each part begins with its mode and its length, in so many bits in a symbol of this version. */
const PARTS: readonly (readonly [mode: number, cost: number])[] = [
  [NUMERIC, MODE + 14 * BIT],
  [ALPHANUMERIC, MODE + 13 * BIT],
  [BYTE, MODE + 16 * BIT],
  [KANJI, MODE + 12 * BIT],
];
const CHANGES = allChanges(
  PARTS.length + 1,
  [NONE, NUMERIC, ALPHANUMERIC, BYTE, KANJI].flatMap((from) =>
    PARTS.filter(([to]) => to !== from).map(([to, cost]) => [from, to, cost] as const),
  ),
);

const OF_DIGITS = bytesOf(DIGITS);
const OF_ALPHANUMERIC = bytesOf(`${DIGITS}${CAPITALS} $%*+-./:`);

/** Two bytes that are a character of Shift JIS, whatever they mean in the message. */
function isKanji(first = 0, second = 0): boolean {
  const pair = first * 256 + second;
  return (pair >= 0x8140 && pair <= 0x9ffc) || (pair >= 0xe040 && pair <= 0xebbf);
}

/** Whether some QR code holds these bytes, by the best way of writing them. */
export function fitsQr(bytes: Buffer): boolean {
  const size = leastCost(bytes.length, CHANGES, (at, mode, cost, reach) => {
    const byte = bytes[at] ?? 0;
    if (mode === NUMERIC && OF_DIGITS[byte]) reach(at + 1, mode, cost + (10 / 3) * BIT);
    if (mode === ALPHANUMERIC && OF_ALPHANUMERIC[byte]) reach(at + 1, mode, cost + 5.5 * BIT);
    if (mode === BYTE) reach(at + 1, mode, cost + 8 * BIT);
    if (mode === KANJI && isKanji(byte, bytes[at + 1])) reach(at + 2, mode, cost + 13 * BIT);
  });
  return size <= SIZE_MAX;
}
