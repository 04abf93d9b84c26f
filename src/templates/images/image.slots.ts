import type { Finding, Place } from "#src/files/public.ts";
import { IMAGE_SLOTS, type ImageSlot, type Kind, type Template } from "../template.schema.ts";

export type ImageScale = 1 | 2 | 3;

/**
 * - `cover`: fills the slot, and parts that do not fit are cut off;
 * - `contain`: shows the whole image, with empty borders up to the size of the slot;
 * - `inside`: shows the whole image, at most as large as the slot, without borders;
 * - `circle`: the wallet cuts a circle out of the slot, so the image stays clear of the corners.
 */
export type ImageFit = "cover" | "contain" | "inside" | "circle";

/** A place for an image in a wallet. Sizes are those of scale 1. */
export type WalletSlot = {
  /** The name of the wallet that people know. */
  readonly wallet: string;
  /** The wallet's own name for the slot. For Apple, it is the name of the file in the package. */
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly fit: ImageFit;
  /**
   * The width divided by the height, if the wallet takes a range of shapes. Parts of the image
   * beyond this range are cut off.
   */
  readonly aspect?: { readonly min: number; readonly max: number };
  readonly scales: readonly ImageScale[];
  /** The colour under transparent parts of the image. */
  readonly matte?: string;
};

export type ImageUse = { readonly image: ImageSlot; readonly slot: WalletSlot };
export type ImagePaths = Readonly<Partial<Record<ImageSlot, string>>>;

/** The parts of a template that decide which images a wallet shows. */
export type ImageTemplate = Pick<Template, "kind" | "images" | "transit" | "enrolment">;

/** The slots that a wallet has for the images of a template. */
export type WalletImages = {
  /**
   * The slot for this image; undefined if the wallet does not show it. `matte` is the background
   * colour of the card.
   */
  slot(kind: Kind, image: ImageSlot, matte?: string): WalletSlot | undefined;
  /**
   * False if passes of this template do not show the image, or if another image of the template
   * takes its place.
   */
  shows(template: ImageTemplate, image: ImageSlot): boolean;
  /** Checks which images the template names, without reading the image files. */
  lint(kind: Kind, images: ImagePaths, place: (pointer: readonly string[]) => Place): Finding[];
};

/** The images that a template names, in the order of `IMAGE_SLOTS`. */
export function namedImages(images: ImagePaths): ImageSlot[] {
  return IMAGE_SLOTS.filter((image) => images[image] !== undefined);
}

/** Every slot that an image of the template fills, in all wallets. */
export function imageUses(wallets: readonly WalletImages[], template: ImageTemplate): ImageUse[] {
  return wallets.flatMap((wallet) =>
    namedImages(template.images ?? {})
      .filter((image) => wallet.shows(template, image))
      .flatMap((image) => {
        const slot = wallet.slot(template.kind, image);
        return slot === undefined ? [] : [{ image, slot }];
      }),
  );
}

export type PixelSize = { readonly width: number; readonly height: number };

export function slotPixels(slot: WalletSlot, scale: ImageScale): PixelSize {
  return { width: slot.width * scale, height: slot.height * scale };
}

/** The size at the largest scale: a smaller source looks blurred on some screens. */
export function largestPixels(slot: WalletSlot): PixelSize {
  return slotPixels(slot, slot.scales.at(-1) ?? 1);
}

/**
 * The share of the box that stays clear of the corners: Google asks for a margin of 15 percent on
 * each side.
 */
const CIRCLE_SAFE = 0.7;
const CIRCLE_FULL_ASPECT_MAX = 1.1;

/**
 * An opaque image that is almost square is taken to be made for the circle, with its own margin.
 */
export function fillsCircle({ width, height }: PixelSize, isOpaque: boolean): boolean {
  return isOpaque && Math.max(width / height, height / width) <= CIRCLE_FULL_ASPECT_MAX;
}

export function circleSafePixels(box: PixelSize): PixelSize {
  return {
    width: Math.round(box.width * CIRCLE_SAFE),
    height: Math.round(box.height * CIRCLE_SAFE),
  };
}

/** The largest part of the source that has a shape the slot accepts. */
export function keptPixels(slot: WalletSlot, { width, height }: PixelSize): PixelSize {
  const aspect = width / height;
  const own = slot.width / slot.height;
  const { min, max } = slot.fit === "cover" ? { min: own, max: own } : (slot.aspect ?? ANY_ASPECT);
  if (aspect > max) return { width: Math.max(1, Math.round(height * max)), height };
  if (aspect < min) return { width, height: Math.max(1, Math.round(width / min)) };
  return { width, height };
}

const ANY_ASPECT = { min: 0, max: Number.POSITIVE_INFINITY };

/** Slots that give different pixels of the same source have different keys. */
export function slotKey({ name, width, height, fit, aspect, matte }: WalletSlot): string {
  const shape = aspect === undefined ? "" : `-${aspect.min.toFixed(3)}-${aspect.max.toFixed(3)}`;
  return `${name}-${width}x${height}-${fit}${shape}${matte ?? ""}`;
}
