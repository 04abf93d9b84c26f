import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";

/*
 * The pictures of the demo tenant, from their drawings in `demo/artwork`. Run by hand after a change
 * of a drawing: `node scripts/demo-artwork.ts`. The drawings use no fonts, which differ by machine.
 */

const DEMO = join(import.meta.dirname, "..", "demo");

/** Path of the picture, and the drawing it is made of. */
const PICTURES: Readonly<Record<string, string>> = {
  "images/icon.png": "icon",
  "images/logo.png": "logo",
  "images/logo-night.png": "logo-night",
  "images/wide-logo.png": "wide-logo",
  "images/loyalty-strip.png": "loyalty-strip",
  "images/loyalty-hero.png": "loyalty-hero",
  "images/coupon-strip.png": "coupon-strip",
  "images/coupon-hero.png": "coupon-hero",
  "images/ticket-background.png": "ticket-background",
  "images/ticket-thumbnail.png": "ticket-thumbnail",
  "images/ticket-hero.png": "ticket-hero",
  "images/membership-thumbnail.png": "membership-thumbnail",
  "images/membership-hero.png": "membership-hero",
  "branding/logo.png": "wide-logo",
  "branding/cover.png": "cover",
};

for (const [path, drawing] of Object.entries(PICTURES)) {
  const svg = await readFile(join(DEMO, "artwork", `${drawing}.svg`));
  // A palette of 256 is enough for drawings, and a quarter of the size.
  const png = await sharp(svg)
    .png({ palette: true, colours: 256, dither: 1, compressionLevel: 9, effort: 10 })
    .toBuffer();
  await writeFile(join(DEMO, path), png);
  console.log(`${String(Math.ceil(png.length / 1024)).padStart(5)} KiB  ${path}`);
}
