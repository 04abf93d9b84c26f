import { isObject } from "#kernel/json.ts";
import type { JsonObject } from "../layout.merge.ts";
import type { BarcodeFormat } from "../template.schema.ts";
import { barcodeProblem, encodingFor } from "./barcode.problem.ts";

/** The barcodes of a layout for Apple Wallet, which names formats in its own way. */

export const APPLE_BARCODES: Readonly<Record<BarcodeFormat, string>> = {
  qr: "PKBarcodeFormatQR",
  pdf417: "PKBarcodeFormatPDF417",
  aztec: "PKBarcodeFormatAztec",
  code128: "PKBarcodeFormatCode128",
};

/**
 * A phone or watch shows the first code that it can. Apple Watch cannot show Code 128, so a QR code
 * with the same message follows it.
 */
export const APPLE_FALLBACKS: Readonly<Partial<Record<BarcodeFormat, BarcodeFormat>>> = {
  code128: "qr",
};

const FORMATS: ReadonlyMap<unknown, BarcodeFormat> = new Map(
  Object.entries(APPLE_BARCODES).map(([format, name]) => [name, format as BarcodeFormat]),
);

/** The barcode of the template, which a layout may change. */
export type OwnBarcode = { readonly format: BarcodeFormat; readonly message: string };

export type ImpossibleBarcode = {
  /** Of the barcode in the layout. */
  readonly path: readonly ["barcode"] | readonly ["barcodes", number];
  readonly format: BarcodeFormat;
  readonly message: string;
  /** In words that follow "this text"; undefined for a message that is empty, and for that of the template. */
  readonly problem: string | undefined;
};

export function canExist({ format, message }: OwnBarcode): boolean {
  return message !== "" && barcodeProblem(format, message) === undefined;
}

/** Where a layout names no encoding, that of the template's barcode stays, or nobody knows which it is. */
const UNKNOWN = "unknown";

/**
 * The barcodes of a layout that cannot exist for this pass. Those of formats that templates do not have are not
 * looked at.
 */
export function impossibleBarcodes(
  { barcode, barcodes }: Readonly<JsonObject>,
  own: OwnBarcode | undefined,
): ImpossibleBarcode[] {
  // The list takes the place of that of the template, and the single one is laid over the template's.
  const listed = Array.isArray(barcodes)
    ? barcodes.flatMap((each, at) =>
        isObject(each) ? impossible(["barcodes", at], each, undefined) : [],
      )
    : [];
  return isObject(barcode) ? [...listed, ...impossible(["barcode"], barcode, own)] : listed;
}

function impossible(
  path: ImpossibleBarcode["path"],
  written: JsonObject,
  own: OwnBarcode | undefined,
): ImpossibleBarcode[] {
  if (own !== undefined && written.format === undefined && written.message === undefined) {
    return canExist(own) ? [] : [{ path, ...own, problem: undefined }];
  }
  const { message = own?.message, messageEncoding = own && encodingFor(own.message) } = written;
  const format =
    written.format === undefined
      ? own && (APPLE_FALLBACKS[own.format] ?? own.format)
      : FORMATS.get(written.format);
  if (format === undefined || typeof message !== "string") return [];
  const encoding = typeof messageEncoding === "string" ? messageEncoding : UNKNOWN;
  const problem = barcodeProblem(format, message, encoding);
  return message !== "" && problem === undefined ? [] : [{ path, format, message, problem }];
}
