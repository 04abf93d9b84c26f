/**
 * The sizes of QR codes of error correction level M (ISO/IEC 18004, table 9): a scratched or
 * glaring screen may hide 15 percent of the code. Longer texts than version 20 holds are no address
 * that a camera reads well.
 */
export type QrBlocks = {
  /** Codewords of error correction in each block. */
  readonly correction: number;
  readonly blocks: number;
  /** All codewords of the code, of data and of error correction. */
  readonly codewords: number;
};

/** One line for each version: correction, blocks, codewords. The first is version 1. */
const SIZES: readonly (readonly [number, number, number])[] = [
  [10, 1, 26],
  [16, 1, 44],
  [26, 1, 70],
  [18, 2, 100],
  [24, 2, 134],
  [16, 4, 172],
  [18, 4, 196],
  [22, 4, 242],
  [22, 5, 292],
  [26, 5, 346],
  [30, 5, 404],
  [22, 8, 466],
  [22, 9, 532],
  [24, 9, 581],
  [24, 10, 655],
  [28, 10, 733],
  [28, 11, 815],
  [26, 13, 901],
  [26, 14, 991],
  [26, 16, 1_085],
];

export const VERSION_MAX = SIZES.length;

export function blocksOf(version: number): QrBlocks {
  const [correction, blocks, codewords] = SIZES[version - 1] ?? [0, 1, 0];
  return { correction, blocks, codewords };
}

export function dataCodewords(version: number): number {
  const { correction, blocks, codewords } = blocksOf(version);
  return codewords - correction * blocks;
}

/** Modules on each side. */
export function sizeOf(version: number): number {
  return 17 + 4 * version;
}

/** The rows, and columns, in which alignment patterns are centred (annex E). */
export function alignmentCentres(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const last = sizeOf(version) - 7;
  const step = Math.ceil((last - 6) / (count - 1) / 2) * 2;
  const others = Array.from({ length: count - 1 }, (_, at) => last - at * step).reverse();
  return [6, ...others];
}
