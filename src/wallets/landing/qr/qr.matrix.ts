import { alignmentCentres, sizeOf } from "./qr.tables.ts";

/** The modules of a code while it is drawn. Those of patterns hold no data and are not masked. */
export class QrMatrix {
  readonly size: number;
  readonly #dark: Uint8Array;
  readonly #fixed: Uint8Array;

  constructor(size: number) {
    this.size = size;
    this.#dark = new Uint8Array(size * size);
    this.#fixed = new Uint8Array(size * size);
  }

  isDark(x: number, y: number): boolean {
    return this.#dark[y * this.size + x] === 1;
  }

  isFixed(x: number, y: number): boolean {
    return this.#fixed[y * this.size + x] === 1;
  }

  set(x: number, y: number, isDark: boolean): void {
    this.#dark[y * this.size + x] = isDark ? 1 : 0;
  }

  fix(x: number, y: number, isDark: boolean): void {
    if (x < 0 || y < 0 || x >= this.size || y >= this.size) return;
    this.set(x, y, isDark);
    this.#fixed[y * this.size + x] = 1;
  }
}

/** Draws everything by which a camera finds the code, and keeps the places of the format free. */
export function drawPatterns(version: number): QrMatrix {
  const matrix = new QrMatrix(sizeOf(version));
  const last = matrix.size - 4;
  for (let at = 0; at < matrix.size; at += 1) {
    matrix.fix(6, at, at % 2 === 0);
    matrix.fix(at, 6, at % 2 === 0);
  }
  for (const [x, y] of [[3, 3] as const, [last, 3] as const, [3, last] as const]) {
    drawSquares(matrix, x, y, 4, (distance) => distance !== 2 && distance !== 4);
  }
  const centres = alignmentCentres(version);
  for (const x of centres) {
    for (const y of centres) {
      // The corners already have the large patterns.
      if (!isCorner(x, y, matrix.size)) drawSquares(matrix, x, y, 2, (distance) => distance !== 1);
    }
  }
  drawFormat(matrix, 0);
  drawVersion(matrix, version);
  return matrix;
}

function isCorner(x: number, y: number, size: number): boolean {
  const last = size - 7;
  return (x === 6 && y === 6) || (x === 6 && y === last) || (x === last && y === 6);
}

function drawSquares(
  matrix: QrMatrix,
  centreX: number,
  centreY: number,
  radius: number,
  isDark: (distance: number) => boolean,
): void {
  for (let y = -radius; y <= radius; y += 1) {
    for (let x = -radius; x <= radius; x += 1) {
      matrix.fix(centreX + x, centreY + y, isDark(Math.max(Math.abs(x), Math.abs(y))));
    }
  }
}

/** Level M has the bits 00, so the format is the number of the mask with its check bits. */
export function drawFormat(matrix: QrMatrix, mask: number): void {
  const bits = ((mask << 10) | checkBits(mask, 0x537, 10)) ^ 0x5412;
  const { size } = matrix;
  const bit = (at: number) => ((bits >>> at) & 1) === 1;
  for (let at = 0; at <= 5; at += 1) matrix.fix(8, at, bit(at));
  matrix.fix(8, 7, bit(6));
  matrix.fix(8, 8, bit(7));
  matrix.fix(7, 8, bit(8));
  for (let at = 9; at < 15; at += 1) matrix.fix(14 - at, 8, bit(at));
  for (let at = 0; at < 8; at += 1) matrix.fix(size - 1 - at, 8, bit(at));
  for (let at = 8; at < 15; at += 1) matrix.fix(8, size - 15 + at, bit(at));
  matrix.fix(8, size - 8, true);
}

function drawVersion(matrix: QrMatrix, version: number): void {
  if (version < 7) return;
  const bits = (version << 12) | checkBits(version, 0x1f25, 12);
  for (let at = 0; at < 18; at += 1) {
    const isDark = ((bits >>> at) & 1) === 1;
    const [far, near] = [matrix.size - 11 + (at % 3), Math.floor(at / 3)];
    matrix.fix(far, near, isDark);
    matrix.fix(near, far, isDark);
  }
}

/** The remainder of a division of polynomials, by which a reader repairs these few bits. */
function checkBits(value: number, divisor: number, degree: number): number {
  let remainder = value;
  for (let count = 0; count < degree; count += 1) {
    remainder = (remainder << 1) ^ ((remainder >>> (degree - 1)) * divisor);
  }
  return remainder;
}
