import type { CardBarcode } from "./card.ts";

const SQUARE = new Set(["qrcode", "azteccode", "datamatrix"]);

/** The barcode as an SVG; loaded when the first one is drawn, as the drawing code is large. */
export async function drawBarcode({ format, message }: CardBarcode): Promise<string> {
  const { toSVG } = await import("bwip-js/node");
  const isSquare = SQUARE.has(format);
  return toSVG({
    bcid: format,
    text: message,
    ...(isSquare ? {} : { height: 12, paddingwidth: 2 }),
    ...(format === "qrcode" ? { eclevel: "M" } : {}),
  });
}
