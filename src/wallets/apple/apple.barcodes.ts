import {
  APPLE_BARCODES,
  APPLE_FALLBACKS,
  type BarcodeFormat,
  type CompiledTemplate,
  canExist,
  encodingFor,
  type ImpossibleBarcode,
  impossibleBarcodes,
  type JsonObject,
  type OwnBarcode,
  type RenderedPass,
} from "#src/templates/language/public.ts";
import { defined, orUndefined } from "../json.values.ts";

type WithBarcode = Pick<CompiledTemplate, "template">;

export function ownBarcode(
  { template }: WithBarcode,
  { barcode }: RenderedPass,
): OwnBarcode | undefined {
  return (
    barcode && template.barcode && { format: template.barcode.format, message: barcode.message }
  );
}

/** The barcode of the template, also one that cannot exist: a layout may give it another message. */
export function barcodes({ template }: WithBarcode, { barcode }: RenderedPass): JsonObject {
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
  layout: Readonly<JsonObject>,
  own: OwnBarcode | undefined,
): JsonObject {
  const leftOut = impossibleBarcodes(layout, own);
  const isOwnLeftOut = own !== undefined && !canExist(own);
  if (!isOwnLeftOut && leftOut.length === 0) return merged;
  const kept = { ...merged };
  const isOwn = (name: "barcode" | "barcodes") => isOwnLeftOut && !Object.hasOwn(layout, name);
  const places = new Set(leftOut.map(({ path: [name, at] }) => at ?? name));
  if (isOwn("barcode") || places.has("barcode")) delete kept.barcode;
  if (!Array.isArray(kept.barcodes)) return kept;
  const barcodes = isOwn("barcodes") ? [] : kept.barcodes.filter((_, at) => !places.has(at));
  if (barcodes.length > 0) kept.barcodes = barcodes;
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
  compiled: WithBarcode,
  pass: RenderedPass,
): { readonly place: string } | { readonly leftOut: ImpossibleBarcode } {
  const [own, name, number] = BARCODE.exec(path) ?? [];
  if (own === undefined) return { place: path };
  const leftOut = impossibleBarcodes(pass.layouts.apple ?? {}, ownBarcode(compiled, pass));
  const at = Number(number);
  const isHere = ({ path: [other, place] }: ImpossibleBarcode) =>
    other === name && (place === undefined || place === at);
  const found = leftOut.find(isHere);
  if (found !== undefined) return { leftOut: found };
  const before = leftOut.filter(({ path: [, place] }) => place !== undefined && place < at).length;
  if (name === "barcode" || before === 0) return { place: path };
  return { place: path.replace(own, `barcodes[${at - before}]`) };
}
