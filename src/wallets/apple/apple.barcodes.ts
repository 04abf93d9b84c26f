import {
  APPLE_BARCODES,
  APPLE_FALLBACKS,
  type BarcodeFormat,
  type CompiledTemplate,
  encodingFor,
  type JsonObject,
  type LeftOutBarcode,
  type RenderedPass,
} from "#src/templates/language/public.ts";
import { defined, orUndefined } from "../json.values.ts";

/** The barcode of the template, also one that cannot exist: a layout may give it another message. */
export function barcodes(
  { template }: Pick<CompiledTemplate, "template">,
  { barcode }: RenderedPass,
): JsonObject {
  if (barcode === undefined || template.barcode === undefined) return {};
  const { format } = template.barcode;
  const entry = (shown: BarcodeFormat) =>
    defined({
      format: APPLE_BARCODES[shown],
      message: barcode.message,
      messageEncoding: encodingFor(barcode.message),
      altText: orUndefined(barcode.text),
    });
  const fallback = APPLE_FALLBACKS[format];
  const chain = [entry(format), ...(fallback === undefined ? [] : [entry(fallback)])];
  // Devices before iOS 9 know only the single `barcode`, and no Code 128.
  return { barcodes: chain, barcode: chain.at(-1) };
}

/** Takes out what no phone could show: it would sign a pass without a code, and nobody would know why. */
export function withoutImpossible(
  merged: JsonObject,
  { barcode, layouts: { apple: layout = {}, appleLeftOut } }: RenderedPass,
): JsonObject {
  const isTemplateBarcodeLeftOut = barcode?.canExist === false;
  if (!isTemplateBarcodeLeftOut && appleLeftOut.length === 0) return merged;
  const kept = { ...merged };
  const isLeftOutAt = (name: "barcode" | "barcodes") =>
    isTemplateBarcodeLeftOut && !Object.hasOwn(layout, name);
  const places = new Set(appleLeftOut.map(({ path: [name, at] }) => at ?? name));
  if (isLeftOutAt("barcode") || places.has("barcode")) delete kept.barcode;
  if (!Array.isArray(kept.barcodes)) return kept;
  const listed = isLeftOutAt("barcodes") ? [] : kept.barcodes.filter((_, at) => !places.has(at));
  if (listed.length > 0) kept.barcodes = listed;
  else delete kept.barcodes;
  return kept;
}

const BARCODE = /^(barcodes?)(?:\[(\d+)\])?(?=\.)/;

/**
 * Where the part of a barcode that the layout gives stands in pass.json, by the path that it has in the layout: those
 * that follow one that is left out move up. Or the barcode that it is a part of, if that is left out.
 */
export function placeOfBarcode(
  path: string,
  { appleLeftOut }: RenderedPass["layouts"],
): { readonly place: string } | { readonly leftOut: LeftOutBarcode } {
  const [whole, name, number] = BARCODE.exec(path) ?? [];
  if (whole === undefined) return { place: path };
  const at = Number(number);
  const isHere = ({ path: [other, place] }: LeftOutBarcode) =>
    other === name && (place === undefined || place === at);
  const leftOut = appleLeftOut.find(isHere);
  if (leftOut !== undefined) return { leftOut };
  const isBefore = ({ path: [, place] }: LeftOutBarcode) => place !== undefined && place < at;
  const before = appleLeftOut.filter(isBefore).length;
  if (name === "barcode" || before === 0) return { place: path };
  return { place: path.replace(whole, `barcodes[${at - before}]`) };
}
