import { contentHash } from "#kernel/crypto/content-hash.ts";
import { RecentMap } from "#kernel/recent-map.ts";
import {
  ImageError,
  type ImageFormat,
  ImageTimeoutError,
  imageFormat,
  withImage,
} from "./image.engine.ts";
import { everyAlpha, smallCopy, uprightSize } from "./image.fit.ts";
import type { PixelSize } from "./image.slots.ts";

export type ImageFacts = PixelSize & {
  readonly format: ImageFormat;
  /** True if any part of the image is transparent or half transparent. */
  readonly hasAlpha: boolean;
  /** As `#rrggbb`: the colour that most of the visible pixels are close to. */
  readonly dominantColor: string;
};

const FACTS_KEPT_MAX = 2_000;
const known = new RecentMap<ImageFacts | ImageError>(FACTS_KEPT_MAX);

/** Decodes the whole image, so that a truncated file is found. Throws an `ImageError`. */
export async function inspectImage(bytes: Buffer): Promise<ImageFacts> {
  const hash = await keyOf(bytes);
  const found = known.get(hash) ?? (await inspect(bytes).catch(imageErrorOf));
  // A slow moment of the machine says nothing about the image, so it is read again the next time.
  if (!(found instanceof ImageTimeoutError)) known.set(hash, found);
  if (found instanceof ImageError) throw found;
  return found;
}

export async function isInspected(bytes: Buffer): Promise<boolean> {
  return known.get(await keyOf(bytes)) !== undefined;
}

/** Reads only the header, so that the size is known before the image is decoded. */
export function imageSize(bytes: Buffer): Promise<PixelSize> {
  return withImage(bytes, uprightSize);
}

function inspect(bytes: Buffer): Promise<ImageFacts> {
  return withImage(bytes, async (image) => {
    const { width, height } = await uprightSize(image);
    const { pixels } = await smallCopy(image);
    return {
      format: imageFormat(bytes),
      width,
      height,
      hasAlpha: !everyAlpha(pixels, (alpha) => alpha === 255),
      dominantColor: dominantColor(pixels),
    };
  });
}

function imageErrorOf(error: unknown): ImageError {
  if (error instanceof ImageError) return error;
  throw error;
}

async function keyOf(bytes: Buffer): Promise<string> {
  return (await contentHash(bytes)).toString("base64");
}

type Bin = { weight: number; red: number; green: number; blue: number };

/** Divides the colours into 512 cells and returns the mean of the cell with the most pixels. */
function dominantColor(pixels: Uint8Array): string {
  const bins = new Map<number, Bin>();
  let fullest: Bin = { weight: 0, red: 0, green: 0, blue: 0 };
  for (let at = 0; at + 3 < pixels.length; at += 4) {
    const [red = 0, green = 0, blue = 0, weight = 0] = pixels.subarray(at, at + 4);
    const cell = ((red >> 5) << 6) | ((green >> 5) << 3) | (blue >> 5);
    const bin = bins.get(cell) ?? { weight: 0, red: 0, green: 0, blue: 0 };
    bin.weight += weight;
    bin.red += red * weight;
    bin.green += green * weight;
    bin.blue += blue * weight;
    bins.set(cell, bin);
    if (bin.weight > fullest.weight) fullest = bin;
  }
  const { weight, red, green, blue } = fullest;
  const hex = (sum: number) =>
    Math.round(sum / Math.max(1, weight))
      .toString(16)
      .padStart(2, "0");
  return `#${hex(red)}${hex(green)}${hex(blue)}`;
}
