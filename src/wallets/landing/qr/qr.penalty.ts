import type { QrMatrix } from "./qr.matrix.ts";

/** How hard a code is to read, by the four rules of ISO/IEC 18004, 7.8.3. */
export function penaltyOf(matrix: QrMatrix): number {
  const { size } = matrix;
  let penalty = 0;
  let dark = 0;
  for (let line = 0; line < size; line += 1) {
    penalty += linePenalty(matrix, line, true) + linePenalty(matrix, line, false);
    for (let at = 0; at < size; at += 1) if (matrix.isDark(at, line)) dark += 1;
  }
  return penalty + blockPenalty(matrix) + balancePenalty(dark / (size * size));
}

/** A shape like that of the corners, with four light modules on one side of it. */
const CORNER_SHAPES = [0b10111010000, 0b00001011101];
const SHAPE_BITS = 11;
const SHAPE_MASK = (1 << SHAPE_BITS) - 1;

/**
 * In a row or a column: runs of one colour, and shapes like those of the corners. The last eleven
 * modules are kept as bits, because this runs for every line of eight masks while others wait.
 */
function linePenalty(matrix: QrMatrix, line: number, isRow: boolean): number {
  let penalty = 0;
  let run = 0;
  let last = -1;
  let recent = 0;
  for (let at = 0; at < matrix.size; at += 1) {
    const bit = (isRow ? matrix.isDark(at, line) : matrix.isDark(line, at)) ? 1 : 0;
    run = bit === last ? run + 1 : 1;
    last = bit;
    if (run === 5) penalty += 3;
    else if (run > 5) penalty += 1;
    recent = ((recent << 1) | bit) & SHAPE_MASK;
    if (at >= SHAPE_BITS - 1 && CORNER_SHAPES.includes(recent)) penalty += 40;
  }
  return penalty;
}

function blockPenalty(matrix: QrMatrix): number {
  let penalty = 0;
  for (let y = 1; y < matrix.size; y += 1) {
    for (let x = 1; x < matrix.size; x += 1) {
      const isDark = matrix.isDark(x, y);
      const isBlock =
        isDark === matrix.isDark(x - 1, y) &&
        isDark === matrix.isDark(x, y - 1) &&
        isDark === matrix.isDark(x - 1, y - 1);
      if (isBlock) penalty += 3;
    }
  }
  return penalty;
}

function balancePenalty(share: number): number {
  return Math.floor(Math.abs(share - 0.5) * 20) * 10;
}
