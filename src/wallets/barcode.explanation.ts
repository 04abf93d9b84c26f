import type { Rule } from "#src/content/public.ts";
import type { BarcodeFormat, Template } from "#src/templates/language/public.ts";

/** Why a wallet has no place for a text of the barcode; undefined for other texts. */
export function barcodeRule(
  name: string,
  { barcode }: Pick<Template, "barcode">,
): Rule | undefined {
  if (name === "barcode.text") return NO_BARCODE;
  if (name !== "barcode.message") return undefined;
  return barcode && impossibleRule({ format: barcode.format, isEmpty: false });
}

type LeftOut = { readonly format: BarcodeFormat; readonly isEmpty: boolean };

/** Why a barcode is left out. */
export function impossibleRule({ format, isEmpty }: LeftOut): Rule {
  if (isEmpty) return EMPTY;
  return format === "code128" ? NOT_ASCII : TOO_LONG;
}

const EMPTY: Rule = {
  code: "empty-text",
  text: "Its message is empty for this pass, so the barcode is left out.",
};

const NO_BARCODE: Rule = {
  code: "barcode-missing",
  text: "It stands below the barcode, and this pass has none.",
};

const NOT_ASCII: Rule = {
  code: "barcode-not-ascii",
  text: "A Code 128 barcode takes letters, digits and signs of ASCII alone, so it is left out.",
};

const TOO_LONG: Rule = {
  code: "barcode-too-long",
  text: "It is longer than a barcode of this format can be, so the barcode is left out.",
};
