import type { RenderBudget } from "../liquid/budget.ts";
import type { BarcodeFormat } from "../template.schema.ts";
import { AZTEC_BYTES_MAX, fitsAztec } from "./aztec.size.ts";
import { fitsPdf417 } from "./pdf417.size.ts";
import { fitsQr } from "./qr.size.ts";

/**
 * Whether a barcode can exist, by the largest symbol of ISO/IEC 18004, 15438 and 24778 with the least error
 * correction that wallets take: an Aztec code may have less by the standard, and has not on a phone. Scanners fail
 * long before, which the lint says. What is refused here no such encoder can write, however well it chooses among the
 * modes of the format: a barcode that could have been shown is never left out.
 */

type Symbology = {
  /** With its article. */
  readonly name: string;
  /** Every message of so many bytes fits. */
  readonly anyBytesMax: number;
  /** No message has more bytes, also of those that take the least room: digits, and in Aztec codes pairs of signs. */
  readonly bytesMax: number;
  /** For messages between the two. */
  fits(bytes: Buffer): boolean;
};

const SYMBOLOGIES: Readonly<Record<Exclude<BarcodeFormat, "code128">, Symbology>> = {
  qr: { name: "a QR code", anyBytesMax: 2_953, bytesMax: 7_089, fits: fitsQr },
  pdf417: { name: "a PDF417 code", anyBytesMax: 1_108, bytesMax: 2_710, fits: fitsPdf417 },
  aztec: { name: "an Aztec code", anyBytesMax: 1_914, bytesMax: AZTEC_BYTES_MAX, fits: fitsAztec },
};

const BEYOND_ASCII = /[^\0-\x7f]/u;
const ALL_BEYOND_ASCII = /[^\0-\x7f]/gu;
const BEYOND_LATIN1 = /[^\0-\xff]/u;
const BYTES_OF_CHARACTER_MAX = 3;
/** Explanations mark texts by numbers between these controls, which no person types. */
const MARKS = /\x91\d*\x92/g;

/** Many scanners expect Latin-1, so wallets are told UTF-8 only for messages that need it. */
export function encodingFor(message: string): "iso-8859-1" | "utf-8" {
  return BEYOND_LATIN1.test(message) ? "utf-8" : "iso-8859-1";
}

type Judging = {
  readonly encoding?: string;
  readonly budget?: Pick<RenderBudget, "search">;
};

const TOO_MANY = "is too long to be tried beside the other barcodes of the pass";

/** For a single message, whose search takes some milliseconds. */
const NO_BUDGET: NonNullable<Judging["budget"]> = { search: (_name, _sizeBytes, find) => find() };

/**
 * Why no barcode of this format can hold the message in this encoding, in words that follow "this text"; undefined if
 * one can.
 */
export function barcodeProblem(
  format: BarcodeFormat,
  message: string,
  { encoding = encodingFor(message), budget = NO_BUDGET }: Judging = {},
): string | undefined {
  if (format === "code128") {
    const [character] = BEYOND_ASCII.exec(message.replace(MARKS, "")) ?? [];
    return character === undefined
      ? undefined
      : `has '${character}', and a Code 128 barcode takes letters, digits and signs of ASCII alone`;
  }
  const { name, anyBytesMax, bytesMax, fits } = SYMBOLOGIES[format];
  // Most messages are short, and need no closer look.
  if (message.length * BYTES_OF_CHARACTER_MAX <= anyBytesMax) return undefined;
  const text = message.replace(MARKS, "");
  const { bytes, isExact } = bytesIn(text, encoding.toLowerCase());
  const size = bytes.length;
  if (size <= anyBytesMax) return undefined;
  if (size <= bytesMax) {
    const searched = `${format} ${bytes.toString("latin1")}`;
    const isFitting = budget.search(searched, size, () => fits(bytes));
    if (isFitting === undefined) return TOO_MANY;
    if (isFitting) return undefined;
  }
  return `has ${isExact ? "" : "at least "}${size} bytes, and ${name} holds ${anyBytesMax}, or more if they are letters and digits`;
}

/**
 * Of other encodings than these two, ASCII is a part, and other characters take a byte at least: one that no format
 * writes in a shorter way.
 */
function bytesIn(text: string, encoding: string): { bytes: Buffer; isExact: boolean } {
  if (encoding === "utf-8") return { bytes: Buffer.from(text, "utf8"), isExact: true };
  const isExact = encoding === "iso-8859-1" && !BEYOND_LATIN1.test(text);
  const shortest = isExact ? text : text.replace(ALL_BEYOND_ASCII, "\xff");
  return { bytes: Buffer.from(shortest, "latin1"), isExact };
}
