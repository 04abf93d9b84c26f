import { withCorrection } from "./qr.correction.ts";
import { drawFormat, drawPatterns, type QrMatrix } from "./qr.matrix.ts";
import { penaltyOf } from "./qr.penalty.ts";
import { dataCodewords, VERSION_MAX } from "./qr.tables.ts";

/** A drawn code: `isDark` for each module, without the light border around it. */
export type QrCode = { readonly size: number; isDark(x: number, y: number): boolean };

const BYTE_MODE = 0b0100;
const PADDING = [0xec, 0x11];

/**
 * Draws a text as a QR code (ISO/IEC 18004) in bytes of UTF-8, in the smallest size that holds it.
 * Returns undefined for a text that is too long: the page then shows no code. Written here because
 * the page is made on the event loop: bwip-js took 30 ms for the address of a pass, this takes 4.
 */
export function qrCode(text: string): QrCode | undefined {
  const bytes = Buffer.from(text, "utf8");
  const version = versionFor(bytes.length);
  if (version === undefined) return undefined;
  const codewords = withCorrection(encode(bytes, version), version);
  const masked = MASKS.map((isInverted, mask) => {
    const matrix = drawPatterns(version);
    drawData(matrix, codewords, isInverted);
    drawFormat(matrix, mask);
    return { matrix, penalty: penaltyOf(matrix) };
  });
  return masked.reduce((best, one) => (one.penalty < best.penalty ? one : best)).matrix;
}

function countBits(version: number): number {
  return version < 10 ? 8 : 16;
}

function versionFor(length: number): number | undefined {
  for (let version = 1; version <= VERSION_MAX; version += 1) {
    const bits = 4 + countBits(version) + 8 * length;
    if (bits <= 8 * dataCodewords(version)) return version;
  }
  return undefined;
}

function encode(bytes: Buffer, version: number): number[] {
  const bits: number[] = [];
  const push = (value: number, length: number) => {
    for (let at = length - 1; at >= 0; at -= 1) bits.push((value >>> at) & 1);
  };
  push(BYTE_MODE, 4);
  push(bytes.length, countBits(version));
  for (const byte of bytes) push(byte, 8);
  const room = 8 * dataCodewords(version);
  push(0, Math.min(4, room - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  for (let at = 0; bits.length < room; at += 1) push(PADDING[at % 2] ?? 0, 8);
  return Array.from({ length: room / 8 }, (_, at) =>
    bits.slice(8 * at, 8 * at + 8).reduce((byte, bit) => (byte << 1) | bit, 0),
  );
}

type Mask = (x: number, y: number) => boolean;

/** A mask inverts some modules. The one that leaves the fewest confusing shapes is used. */
const MASKS: readonly Mask[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** Data runs in pairs of columns from the right, up and down in turn, around the patterns. */
function drawData(matrix: QrMatrix, codewords: readonly number[], isInverted: Mask): void {
  let at = 0;
  for (let right = matrix.size - 1; right >= 1; right -= 2) {
    // The column of the timing pattern holds no data.
    if (right === 6) right = 5;
    const isUpward = ((right + 1) & 2) === 0;
    for (let step = 0; step < matrix.size; step += 1) {
      const y = isUpward ? matrix.size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (matrix.isFixed(x, y)) continue;
        const bit = ((codewords[at >>> 3] ?? 0) >>> (7 - (at & 7))) & 1;
        matrix.set(x, y, (bit === 1) !== isInverted(x, y));
        at += 1;
      }
    }
  }
}
