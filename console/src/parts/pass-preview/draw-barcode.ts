import { azteccode, code128, drawingSVG, pdf417, qrcode } from "bwip-js/browser";
import type { BarcodeFormat } from "./shapes.ts";

/*
 * The only file that loads the library of barcodes, and so a file of its own in the build: pages
 * without a code do not need it.
 */

/** The library takes further settings of each kind of code, which its types do not name. */
const settings = (bcid: string, text: string, more: object = {}) => ({
  bcid,
  text,
  scale: 4,
  ...more,
});

const DRAW: Readonly<Record<BarcodeFormat, (text: string) => string>> = {
  // Wallets correct up to 15 percent.
  qr: (text) => qrcode(settings("qrcode", text, { eclevel: "M" }), drawingSVG()),
  pdf417: (text) => pdf417(settings("pdf417", text, { columns: 3 }), drawingSVG()),
  aztec: (text) => azteccode(settings("azteccode", text), drawingSVG()),
  code128: (text) => code128(settings("code128", text, { height: 16 }), drawingSVG()),
};

/** A picture for `src`. Throws if the code has no room for the text. */
export function drawBarcode(format: BarcodeFormat, text: string): string {
  return `data:image/svg+xml,${encodeURIComponent(DRAW[format](text))}`;
}
