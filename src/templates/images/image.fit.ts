import type { Sharp } from "sharp";
import { withImage } from "./image.engine.ts";
import {
  circleSafePixels,
  fillsCircle,
  type ImageScale,
  keptPixels,
  type PixelSize,
  slotPixels,
  type WalletSlot,
} from "./image.slots.ts";

/** A PNG without metadata, in sRGB. The same source, slot and scale always give the same bytes. */
export type FittedImage = PixelSize & { readonly bytes: Buffer };

/**
 * Raise this when the same source gives other pixels than before, so that stored images are made
 * again.
 */
export const FITTING_VERSION = 1;

const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 };
type Color = typeof TRANSPARENT | string;

/** Throws an `ImageError` if the source cannot be used as an image. */
export function fitImage(
  source: Buffer,
  slot: WalletSlot,
  scale: ImageScale,
): Promise<FittedImage> {
  const box = slotPixels(slot, scale);
  return withImage(source, async (image) => {
    const fitted = await FITS[slot.fit](image, slot, box);
    const { data, info } = await onMatte(fitted, slot.matte)
      .toColorspace("srgb")
      .png({ compressionLevel: 9, adaptiveFiltering: true, palette: false })
      .toBuffer({ resolveWithObject: true });
    return { bytes: data, width: info.width, height: info.height };
  });
}

/** The matte goes under the image only: the library flattens an image before it adds borders. */
function onMatte(image: Sharp, matte: string | undefined): Sharp {
  return matte === undefined ? image : image.flatten({ background: matte });
}

type Fit = (image: Sharp, slot: WalletSlot, box: PixelSize) => Promise<Sharp>;

const FITS: Readonly<Record<WalletSlot["fit"], Fit>> = {
  cover: async (image, _slot, box) => image.resize({ ...box, fit: "cover", position: "centre" }),
  contain: async (image, slot, box) => contain(image, box, box, slot.matte ?? TRANSPARENT),
  async inside(image, slot, box) {
    const size = await uprightSize(image);
    const kept = keptPixels(slot, size);
    const factor = Math.min(box.width / kept.width, box.height / kept.height);
    // Both sides are given, so that the scales of one image have the same shape to the pixel.
    return image.resize({ ...scaled(kept, factor), fit: "cover", position: "centre" });
  },
  async circle(image, slot, box) {
    const size = await uprightSize(image);
    const { isOpaque, corner } = await lookAtCorner(image);
    if (fillsCircle(size, isOpaque)) return image.resize({ ...box, fit: "cover" });
    const border = isOpaque ? corner : (slot.matte ?? TRANSPARENT);
    return contain(image, circleSafePixels(box), box, border);
  },
};

function contain(image: Sharp, inner: PixelSize, box: PixelSize, background: Color): Sharp {
  const left = Math.floor((box.width - inner.width) / 2);
  const top = Math.floor((box.height - inner.height) / 2);
  const resized = image.ensureAlpha().resize({ ...inner, fit: "contain", background });
  if (left === 0 && top === 0) return resized;
  const right = box.width - inner.width - left;
  const bottom = box.height - inner.height - top;
  return resized.extend({ left, top, right, bottom, background });
}

function scaled({ width, height }: PixelSize, factor: number): PixelSize {
  return {
    width: Math.max(1, Math.round(width * factor)),
    height: Math.max(1, Math.round(height * factor)),
  };
}

export async function uprightSize(image: Sharp): Promise<PixelSize> {
  const { autoOrient } = await image.metadata();
  return { width: autoOrient.width, height: autoOrient.height };
}

const OPAQUE = 255;

async function lookAtCorner(image: Sharp): Promise<{ isOpaque: boolean; corner: Color }> {
  const { pixels } = await smallCopy(image);
  const [r = 0, g = 0, b = 0] = pixels;
  const isOpaque = everyAlpha(pixels, (alpha) => alpha === OPAQUE);
  return { isOpaque, corner: { r, g, b, alpha: 1 } };
}

const SMALL_SIDE = 64;

/** Red, green, blue and alpha of a small copy, so that every pixel can be looked at quickly. */
export async function smallCopy(image: Sharp): Promise<{ pixels: Uint8Array }> {
  const pixels = await image
    .clone()
    .resize({ width: SMALL_SIDE, height: SMALL_SIDE, fit: "fill", kernel: "mitchell" })
    .toColorspace("srgb")
    .ensureAlpha()
    .raw({ depth: "uchar" })
    .toBuffer();
  return { pixels };
}

export function everyAlpha(pixels: Uint8Array, holds: (alpha: number) => boolean): boolean {
  for (let at = 3; at < pixels.length; at += 4) {
    if (!holds(pixels[at] ?? OPAQUE)) return false;
  }
  return true;
}
