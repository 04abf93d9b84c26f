import type { Finding } from "#src/files/public.ts";
import { encodingFor } from "../barcodes/barcode.problem.ts";
import type { CompiledTemplate } from "../template.compiled.ts";
import type { BarcodeFormat } from "../template.schema.ts";
import { barcodeEncoding, barcodeSameForAll, barcodeTooLong } from "./findings.ts";
import { proseOf } from "./prose.ts";

/**
 * The most bytes of any kind that a symbol can hold: ISO/IEC 18004, 15438 and 24778. More of them fit if they are
 * digits, but a symbol of that size is more than scanners read. Code 128 has no limit of its own; 48 characters are
 * the limit of GS1.
 */
const BYTES_MAX: Readonly<Record<BarcodeFormat, number>> = {
  qr: 2_953,
  pdf417: 1_108,
  aztec: 1_914,
  code128: 48,
};

const NOT_ASCII = /[^ -~]/u;

/** `sample` is the message of the barcode with sample data. */
export function barcodeFindings(compiled: CompiledTemplate, sample: string): Finding[] {
  const { barcode, template } = compiled;
  if (barcode === undefined || template.barcode === undefined) return [];
  const { message } = barcode;
  const { format } = template.barcode;
  const findings: Finding[] = [];
  const [character] = NOT_ASCII.exec(`${proseOf(message)}${sample}`) ?? [];
  if (format === "code128" && character !== undefined) {
    const index = Math.max(0, message.text.source.indexOf(character));
    findings.push(barcodeEncoding(message.within(index), { character }));
  }
  const size = Buffer.byteLength(sample, encodingFor(sample) === "utf-8" ? "utf8" : "latin1");
  const max = BYTES_MAX[format];
  if (size > max) findings.push(barcodeTooLong(message, { format, size, max }));
  if (message.text.isLiteral) findings.push(barcodeSameForAll(message));
  return findings;
}
