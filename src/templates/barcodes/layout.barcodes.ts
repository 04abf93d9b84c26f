import { isObject } from "#kernel/json.ts";
import type { JsonObject } from "../layout.merge.ts";
import type { RenderBudget } from "../liquid/budget.ts";
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

/** Phones know eight formats, and show the first code of the list that they can. */
export const LAYOUT_BARCODES_MAX = 10;

/** The barcode of the template, which a layout may change. */
export type TemplateBarcode = {
  readonly format: BarcodeFormat;
  readonly message: string;
  readonly canExist: boolean;
};

/** A barcode of a layout that cannot exist for this pass. Apple Wallet gets the pass without it. */
export type LeftOutBarcode = {
  /** Of the barcode in the layout. */
  readonly path: readonly ["barcode"] | readonly ["barcodes", number];
  readonly format: BarcodeFormat;
  readonly isEmpty: boolean;
  /** In words that follow "this text"; undefined for a message that is empty, and for that of the template. */
  readonly problem: string | undefined;
};

/**
 * Those of formats that templates do not have are not looked at. Finding out takes milliseconds for long messages, so
 * it is done once, where passes are rendered.
 */
export function leftOutBarcodes(
  { barcode, barcodes }: Readonly<JsonObject>,
  templateBarcode: TemplateBarcode | undefined,
  budget: RenderBudget,
): LeftOutBarcode[] {
  // The list takes the place of that of the template, and the single one is laid over the template's.
  const listed = Array.isArray(barcodes)
    ? barcodes.flatMap((each, at) =>
        isObject(each) ? leftOut(["barcodes", at], each, undefined, budget) : [],
      )
    : [];
  if (!isObject(barcode)) return listed;
  return [...listed, ...leftOut(["barcode"], barcode, templateBarcode, budget)];
}

/** Where a layout names no encoding, that of the template's barcode stays, or nobody knows which it is. */
const UNKNOWN = "unknown";

function leftOut(
  path: LeftOutBarcode["path"],
  written: JsonObject,
  base: TemplateBarcode | undefined,
  budget: RenderBudget,
): LeftOutBarcode[] {
  if (base !== undefined && written.format === undefined && written.message === undefined) {
    const { format, message, canExist } = base;
    return canExist ? [] : [{ path, format, isEmpty: message === "", problem: undefined }];
  }
  const { message = base?.message, messageEncoding = base && encodingFor(base.message) } = written;
  const format =
    written.format === undefined
      ? base && (APPLE_FALLBACKS[base.format] ?? base.format)
      : FORMATS.get(written.format);
  if (format === undefined || typeof message !== "string") return [];
  const encoding = typeof messageEncoding === "string" ? messageEncoding : UNKNOWN;
  const problem = barcodeProblem(format, message, { encoding, budget });
  const isEmpty = message === "";
  return isEmpty || problem !== undefined ? [{ path, format, isEmpty, problem }] : [];
}
