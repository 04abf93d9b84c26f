import assert from "node:assert/strict";
import { describe, it } from "node:test";
import sharp from "sharp";
import { appleImages } from "#src/wallets/apple/apple.images.ts";
import { googleImages } from "#src/wallets/google/google.images.ts";
import type { ImageSlot, Kind } from "../template.schema.ts";
import { ImageError } from "./image.engine.ts";
import { fitImage } from "./image.fit.ts";
import { inspectImage } from "./image.inspect.ts";
import type { ImageScale, WalletSlot } from "./image.slots.ts";

function slot(wallet: "apple" | "google", kind: Kind, image: ImageSlot, matte?: string) {
  const images = wallet === "apple" ? appleImages : googleImages;
  const found = images.slot(kind, image, matte);
  assert.ok(found);
  return found;
}

function plain(width: number, height: number, background = "#123456") {
  return sharp({ create: { width, height, channels: 3, background } });
}

/** A disc on a transparent background. */
function disc(side: number): Promise<Buffer> {
  const pixels = Buffer.alloc(side * side * 4);
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      const inside = Math.hypot(x - side / 2, y - side / 2) < side / 2;
      pixels.set([240, 200, 120, inside ? 255 : 0], (y * side + x) * 4);
    }
  }
  return sharp(pixels, { raw: { width: side, height: side, channels: 4 } })
    .png()
    .toBuffer();
}

async function sizeAt(source: Buffer, at: WalletSlot, scale: ImageScale) {
  const { width, height, bytes } = await fitImage(source, at, scale);
  const written = await sharp(bytes).metadata();
  assert.deepEqual([written.format, written.width, written.height], ["png", width, height]);
  return `${width}x${height}`;
}

async function pixel(bytes: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(bytes)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = (y * info.width + x) * 4;
  return [...data.subarray(at, at + 4)];
}

describe("fitting an image to a slot", () => {
  it("fills strip, background and hero exactly, at every scale", async () => {
    const source = await plain(2_000, 1_500).png().toBuffer();

    const strip = slot("apple", "loyalty", "strip");
    assert.equal(await sizeAt(source, strip, 1), "375x144");
    assert.equal(await sizeAt(source, strip, 2), "750x288");
    assert.equal(await sizeAt(source, strip, 3), "1125x432");
    assert.equal(await sizeAt(source, slot("apple", "eventTicket", "background"), 3), "1035x1515");
    assert.equal(await sizeAt(source, slot("google", "coupon", "hero"), 1), "1032x336");
    assert.equal(await sizeAt(source, slot("google", "coupon", "strip"), 1), "1032x336");
  });

  it("keeps all of a logo, no larger than its slot and without borders", async () => {
    const logo = slot("apple", "loyalty", "logo");

    assert.equal(await sizeAt(await plain(1_600, 250).png().toBuffer(), logo, 1), "160x25");
    assert.equal(await sizeAt(await plain(300, 300).png().toBuffer(), logo, 2), "100x100");
    assert.equal(await sizeAt(await plain(30, 10).png().toBuffer(), logo, 3), "450x150");
  });

  it("gives an icon that is not square borders that can be seen through", async () => {
    const source = await plain(400, 200, "#ff0000").png().toBuffer();

    const { bytes, width, height } = await fitImage(source, slot("apple", "coupon", "icon"), 3);

    assert.deepEqual([width, height], [114, 114]);
    assert.equal((await pixel(bytes, 57, 2))[3], 0);
    assert.deepEqual(await pixel(bytes, 57, 57), [255, 0, 0, 255]);
  });

  it("cuts a thumbnail to the shapes Apple takes", async () => {
    const thumbnail = slot("apple", "generic", "thumbnail");

    assert.equal(await sizeAt(await plain(1_000, 100).png().toBuffer(), thumbnail, 1), "90x60");
    assert.equal(await sizeAt(await plain(100, 1_000).png().toBuffer(), thumbnail, 1), "60x90");
    assert.equal(await sizeAt(await plain(500, 500).png().toBuffer(), thumbnail, 2), "180x180");
  });

  it("keeps a logo clear of the circle Google cuts, on the colour of the card", async () => {
    const at = slot("google", "loyalty", "logo", "#101830");

    const { bytes, width, height } = await fitImage(await disc(800), at, 1);

    assert.deepEqual([width, height], [660, 660]);
    assert.deepEqual(await pixel(bytes, 330, 60), [16, 24, 48, 255]);
    assert.deepEqual(await pixel(bytes, 330, 330), [240, 200, 120, 255]);
  });

  it("lets a square made without transparency fill the circle, and continues the colour of others", async () => {
    const at = slot("google", "loyalty", "logo");

    const square = await fitImage(await plain(700, 700, "#aa0000").jpeg().toBuffer(), at, 1);
    const wide = await fitImage(await plain(900, 200, "#00aa00").png().toBuffer(), at, 1);

    assert.equal((await pixel(square.bytes, 0, 0))[3], 255);
    assert.deepEqual(await pixel(wide.bytes, 0, 0), [0, 170, 0, 255]);
  });

  it("gives the same bytes each time, without what the source says of its maker", async () => {
    const source = await plain(800, 800)
      .withExif({ IFD0: { Copyright: "Somebody", Artist: "Somebody" } })
      .jpeg()
      .toBuffer();
    const at = slot("apple", "loyalty", "icon");

    const first = await fitImage(source, at, 3);
    const second = await fitImage(source, at, 3);

    assert.ok(first.bytes.equals(second.bytes));
    assert.equal(first.bytes.includes("Somebody"), false);
    const { exif, icc, xmp } = await sharp(first.bytes).metadata();
    assert.deepEqual([exif, icc, xmp], [undefined, undefined, undefined]);
  });

  it("stands photographs upright", async () => {
    const lying = await plain(600, 300).withMetadata({ orientation: 6 }).jpeg().toBuffer();

    assert.equal(await sizeAt(lying, slot("apple", "coupon", "logo"), 2), "50x100");
  });

  it("takes WebP, grey, sixteen bits a channel, and print colours", async () => {
    const icon = slot("apple", "coupon", "icon");
    const sources = [
      await plain(200, 200).webp().toBuffer(),
      await plain(200, 200).greyscale().png().toBuffer(),
      await plain(200, 200).toColorspace("rgb16").png().toBuffer(),
      await plain(200, 200).toColorspace("cmyk").jpeg().toBuffer(),
    ];

    for (const source of sources) {
      const { bytes } = await fitImage(source, icon, 1);
      const { depth, space } = await sharp(bytes).metadata();
      assert.deepEqual([depth, space], ["uchar", "srgb"]);
    }
  });

  it("takes the first frame of an animation", async () => {
    const frames = await sharp(
      [await plain(50, 50, "#ff0000").png().toBuffer(), await plain(50, 50).png().toBuffer()],
      { join: { animated: true } },
    )
      .webp({ lossless: true })
      .toBuffer();

    const { bytes } = await fitImage(frames, slot("apple", "coupon", "icon"), 1);

    assert.deepEqual(await pixel(bytes, 19, 19), [255, 0, 0, 255]);
  });
});

describe("looking at an image", () => {
  it("tells format, size, transparency and colour", async () => {
    const photograph = await plain(300, 200, "#1f2a44").jpeg({ quality: 100 }).toBuffer();

    const opaque = await inspectImage(photograph);
    const round = await inspectImage(await disc(200));

    assert.deepEqual([opaque.format, opaque.width, opaque.height], ["jpeg", 300, 200]);
    assert.equal(opaque.hasAlpha, false);
    assert.match(opaque.dominantColor, /^#(1e|1f|20)2[9ab]4[345]$/);
    assert.deepEqual([round.format, round.hasAlpha], ["png", true]);
    assert.equal(round.dominantColor, "#f0c878");
  });

  const problem = (bytes: Buffer) =>
    inspectImage(bytes).then(
      () => "none",
      (error) => {
        assert.ok(error instanceof ImageError, String(error));
        return error.problem;
      },
    );

  it("calls what is no image by its name", async () => {
    const svg = `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>`;

    assert.equal(await problem(Buffer.from("")), "not-an-image");
    assert.equal(await problem(Buffer.from("name: Café Lune\n")), "not-an-image");
    assert.equal(await problem(Buffer.from("GIF89a\u0001\u0000\u0001\u0000")), "not-an-image");
    assert.equal(await problem(Buffer.from("%PDF-1.7\n")), "not-an-image");
    assert.equal(await problem(Buffer.from(svg)), "svg");
  });

  it("finds out images that are cut off, damaged or only begin like one", async () => {
    const noise = sharp({
      create: {
        width: 300,
        height: 300,
        channels: 3,
        background: "#888888",
        noise: { type: "gaussian", mean: 128, sigma: 40 },
      },
    });
    const sources = await Promise.all([
      noise.clone().png().toBuffer(),
      noise.clone().jpeg().toBuffer(),
      noise.clone().webp().toBuffer(),
    ]);
    for (const bytes of sources) {
      assert.equal(await problem(bytes), "none");
      assert.equal(await problem(bytes.subarray(0, Math.floor(bytes.length / 2))), "damaged");
      assert.equal(await problem(bytes.subarray(0, 20)), "damaged");
    }
    assert.equal(await problem(Buffer.from("\u0089PNG\r\n\u001a\nhello", "latin1")), "damaged");
  });

  it("refuses a bomb by its header, before unpacking anything", async () => {
    const bomb = await plain(4_100, 4_100).png().toBuffer();
    const huge = Buffer.from(await plain(10, 10).png().toBuffer());
    huge.writeUInt32BE(2_000_000_000, 16);
    huge.writeUInt32BE(2_000_000_000, 20);

    assert.equal(await problem(bomb), "too-large");
    assert.ok(["too-large", "damaged"].includes(await problem(huge)));
    const heavy = Buffer.concat([await plain(10, 10).png().toBuffer(), Buffer.alloc(11 << 20)]);
    assert.equal(await problem(heavy), "too-large");
  });

  it("survives any bytes behind a right beginning", async () => {
    const image = await plain(60, 60).png().toBuffer();
    for (let at = 8; at < image.length; at += 7) {
      const broken = Buffer.from(image);
      broken[at] = (broken[at] ?? 0) ^ 0xff;
      assert.ok(["none", "damaged", "too-large"].includes(await problem(broken)));
    }
  });
});
