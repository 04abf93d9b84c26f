import type { BarcodeFormat } from "../template.schema.ts";

/**
 * Whether a barcode can exist. The limits are those of the largest symbol of ISO/IEC 18004, 15438 and
 * 24778. Scanners fail long before, which the lint says.
 */

type Capacity = {
  readonly name: string;
  readonly digitsMax: number;
  readonly textMax: number;
  /** The characters that the denser mode for texts takes. */
  readonly text: RegExp;
  readonly bytesMax: number;
};

/** Small letters, digits and signs among these take a character or two more to change between. */
const CAPITALS = /^[A-Z ]*$/;
const CAPACITIES: Readonly<Record<Exclude<BarcodeFormat, "code128">, Capacity>> = {
  qr: {
    name: "QR code",
    digitsMax: 7_089,
    textMax: 4_296,
    text: /^[0-9A-Z $%*+\-./:]*$/,
    bytesMax: 2_953,
  },
  pdf417: {
    name: "PDF417 code",
    digitsMax: 2_710,
    textMax: 1_850,
    text: CAPITALS,
    bytesMax: 1_108,
  },
  aztec: {
    name: "Aztec code",
    digitsMax: 3_832,
    textMax: 3_067,
    text: CAPITALS,
    bytesMax: 1_914,
  },
};

const BEYOND_ASCII = /[^\0-\x7f]/u;
/** Explanations mark texts by numbers between these controls, which no person types. */
const MARKS = /\x91\d*\x92/g;
const BEYOND_LATIN1 = /[^\0-\xff]/u;

/**
 * Why no barcode of this format can hold the message, in words that follow "this text"; undefined if
 * one can.
 */
export function barcodeProblem(format: BarcodeFormat, message: string): string | undefined {
  if (format === "code128") {
    const [character] = BEYOND_ASCII.exec(message.replace(MARKS, "")) ?? [];
    return character === undefined
      ? undefined
      : `has '${character}', and a Code 128 barcode takes letters, digits and signs of ASCII alone`;
  }
  const { name, digitsMax, textMax, text, bytesMax } = CAPACITIES[format];
  // Most messages are short, and need no closer look.
  if (message.length * BYTES_OF_CHARACTER_MAX <= bytesMax) return undefined;
  const size = BEYOND_LATIN1.test(message) ? Buffer.byteLength(message) : message.length;
  if (size <= bytesMax) return undefined;
  if (message.length <= textMax && text.test(message)) return undefined;
  if (message.length <= digitsMax && /^\d*$/.test(message)) return undefined;
  return `has ${size} bytes, and a ${name} holds ${bytesMax}`;
}

const BYTES_OF_CHARACTER_MAX = 3;
