import type { Finding, Place } from "#src/files/public.ts";
import { IMAGE_SLOTS, type ImageSlot, type Kind } from "../template.schema.ts";

export type ImageScale = 1 | 2 | 3;

/**
 * - `cover`: fills the slot, what stands over is cut off;
 * - `contain`: all of the image, with empty borders up to the size of the slot;
 * - `inside`: all of the image, at most as large as the slot;
 * - `circle`: the wallet cuts a circle out of the slot, so what matters stays clear of the corners.
 */
export type ImageFit = "cover" | "contain" | "inside" | "circle";

/** A place for an image in a wallet. Sizes are those of scale 1. */
export type WalletSlot = {
  /** The wallet, as people call it. */
  readonly wallet: string;
  /** As the wallet calls it: the name of the file in Apple's package. */
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly fit: ImageFit;
  /** Width to height, where the wallet takes a range of shapes: what is beyond is cut off. */
  readonly aspect?: { readonly min: number; readonly max: number };
  readonly scales: readonly ImageScale[];
  /** Under what is transparent. */
  readonly matte?: string;
};

export type ImageUse = { readonly image: ImageSlot; readonly slot: WalletSlot };
export type ImagePaths = Readonly<Partial<Record<ImageSlot, string>>>;

/** The places that a wallet has for the images of a template. */
export type WalletImages = {
  /** Where it shows that image; undefined when it does not. `matte` is what the card has for a background. */
  slot(kind: Kind, image: ImageSlot, matte?: string): WalletSlot | undefined;
  /** Whether the other images of the template leave this one its place. */
  shows(kind: Kind, images: ImagePaths, image: ImageSlot): boolean;
  /** What it has to say about the choice of images, whatever they show. */
  lint(kind: Kind, images: ImagePaths, place: (pointer: readonly string[]) => Place): Finding[];
};

/** The images that a template names, in one order. */
export function namedImages(images: ImagePaths): ImageSlot[] {
  return IMAGE_SLOTS.filter((image) => images[image] !== undefined);
}

/** Every slot that the images of a template fill. */
export function imageUses(
  wallets: readonly WalletImages[],
  kind: Kind,
  images: ImagePaths,
): ImageUse[] {
  return wallets.flatMap((wallet) =>
    namedImages(images)
      .filter((image) => wallet.shows(kind, images, image))
      .flatMap((image) => {
        const slot = wallet.slot(kind, image);
        return slot === undefined ? [] : [{ image, slot }];
      }),
  );
}

export type PixelSize = { readonly width: number; readonly height: number };

export function slotPixels(slot: WalletSlot, scale: ImageScale): PixelSize {
  return { width: slot.width * scale, height: slot.height * scale };
}

/** The largest scale: what a source must have to stay sharp everywhere. */
export function largestPixels(slot: WalletSlot): PixelSize {
  return slotPixels(slot, slot.scales.at(-1) ?? 1);
}

/** Part of a circle's box that is free of its corners: Google asks for a margin of 15 percent. */
const CIRCLE_SAFE = 0.7;
const CIRCLE_FULL_ASPECT_MAX = 1.1;

/** Opaque and as good as square: made to fill the circle, with a margin of its own. */
export function fillsCircle({ width, height }: PixelSize, isOpaque: boolean): boolean {
  return isOpaque && Math.max(width / height, height / width) <= CIRCLE_FULL_ASPECT_MAX;
}

export function circleSafePixels(box: PixelSize): PixelSize {
  return {
    width: Math.round(box.width * CIRCLE_SAFE),
    height: Math.round(box.height * CIRCLE_SAFE),
  };
}

/** The largest part of the source with a shape that the slot takes. */
export function keptPixels(slot: WalletSlot, { width, height }: PixelSize): PixelSize {
  const aspect = width / height;
  const own = slot.width / slot.height;
  const { min, max } = slot.fit === "cover" ? { min: own, max: own } : (slot.aspect ?? ANY_ASPECT);
  if (aspect > max) return { width: Math.max(1, Math.round(height * max)), height };
  if (aspect < min) return { width, height: Math.max(1, Math.round(width / min)) };
  return { width, height };
}

const ANY_ASPECT = { min: 0, max: Number.POSITIVE_INFINITY };

/** Tells slots apart that would give different pixels of one source. */
export function slotKey({ name, width, height, fit, aspect, matte }: WalletSlot): string {
  const shape = aspect === undefined ? "" : `-${aspect.min.toFixed(3)}-${aspect.max.toFixed(3)}`;
  return `${name}-${width}x${height}-${fit}${shape}${matte ?? ""}`;
}
