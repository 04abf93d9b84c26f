import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";

/*
 * Makes the pictures of the demo tenant from `demo/artwork`. Run it after a change of a drawing:
 * `node scripts/demo-artwork.ts`. The drawings use no fonts, because fonts differ by machine.
 */

const DEMO = join(import.meta.dirname, "..", "demo");

/** The path of each picture, with the name of its drawing. */
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
  "images/membership-artwork.png": "membership-artwork",
  "branding/logo.png": "wide-logo",
  "branding/cover.png": "cover",
};

for (const [path, drawing] of Object.entries(PICTURES)) {
  const svg = await readFile(join(DEMO, "artwork", `${drawing}.svg`));
  // 256 colours are enough for drawings, and make the files four times smaller.
  const png = await sharp(svg)
    .png({ palette: true, colours: 256, dither: 1, compressionLevel: 9, effort: 10 })
    .toBuffer();
  await writeFile(join(DEMO, path), png);
  console.log(`${String(Math.ceil(png.length / 1024)).padStart(5)} KiB  ${path}`);
}
