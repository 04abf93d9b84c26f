import { blocksOf } from "./qr.tables.ts";

/** Multiplication in the field of 256 elements with the polynomial of QR codes, 0x11d. */
function multiply(left: number, right: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    if (((right >>> bit) & 1) === 1) product ^= left;
  }
  return product;
}

/** The coefficients of (x − 2⁰)(x − 2¹)… without the first, which is 1. */
function divisorOf(degree: number): number[] {
  const divisor = Array<number>(degree).fill(0);
  divisor[degree - 1] = 1;
  let root = 1;
  for (let count = 0; count < degree; count += 1) {
    for (let at = 0; at < degree; at += 1) {
      divisor[at] = multiply(divisor[at] ?? 0, root) ^ (divisor[at + 1] ?? 0);
    }
    root = multiply(root, 2);
  }
  return divisor;
}

function remainderOf(data: readonly number[], divisor: readonly number[]): number[] {
  const remainder = Array<number>(divisor.length).fill(0);
  for (const byte of data) {
    const factor = byte ^ (remainder.shift() ?? 0);
    remainder.push(0);
    for (const [at, coefficient] of divisor.entries()) {
      remainder[at] = (remainder[at] ?? 0) ^ multiply(coefficient, factor);
    }
  }
  return remainder;
}

/**
 * Splits the data into blocks, adds the error correction of each, and weaves them together, so that
 * a blot on the code hurts every block a little instead of one block beyond repair.
 */
export function withCorrection(data: readonly number[], version: number): number[] {
  const { correction, blocks, codewords } = blocksOf(version);
  const divisor = divisorOf(correction);
  const shortLength = Math.floor(codewords / blocks) - correction;
  const shortBlocks = blocks - (codewords % blocks);
  let start = 0;
  const parts = Array.from({ length: blocks }, (_, at) => {
    const length = shortLength + (at < shortBlocks ? 0 : 1);
    const part = data.slice(start, start + length);
    start += length;
    return { part, check: remainderOf(part, divisor) };
  });
  return [
    ...woven(
      parts.map(({ part }) => part),
      shortLength + 1,
    ),
    ...woven(
      parts.map(({ check }) => check),
      correction,
    ),
  ];
}

function woven(blocks: readonly (readonly number[])[], length: number): number[] {
  return Array.from({ length }, (_, at) => blocks.flatMap((block) => block[at] ?? [])).flat();
}
