import { IMAGE_SLOTS, type ImageSlot, type Kind } from "./template.schema.ts";

export type Wallet = "apple" | "google";
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
  readonly wallet: Wallet;
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

const SCREEN_SCALES: readonly ImageScale[] = [1, 2, 3];
/** Google takes one image, in pixels, and scales it itself. */
const HOSTED: readonly ImageScale[] = [1];

function apple(
  name: string,
  width: number,
  height: number,
  fit: ImageFit,
  aspect?: WalletSlot["aspect"],
): WalletSlot {
  const slot = { wallet: "apple", name, width, height, fit, scales: SCREEN_SCALES } as const;
  return aspect === undefined ? slot : { ...slot, aspect };
}

function google(name: string, width: number, height: number, fit: ImageFit): WalletSlot {
  return { wallet: "google", name, width, height, fit, scales: HOSTED };
}

const APPLE: Readonly<Partial<Record<ImageSlot, WalletSlot>>> = {
  icon: apple("icon", 38, 38, "contain"),
  logo: apple("logo", 160, 50, "inside"),
  strip: apple("strip", 375, 144, "cover"),
  thumbnail: apple("thumbnail", 90, 90, "inside", { min: 2 / 3, max: 3 / 2 }),
  background: apple("background", 345, 505, "cover"),
  footer: apple("footer", 286, 15, "inside"),
};

/** The others go with every kind. */
const APPLE_KINDS: Readonly<Partial<Record<ImageSlot, readonly Kind[]>>> = {
  strip: ["loyalty", "coupon", "giftCard", "eventTicket"],
  thumbnail: ["eventTicket", "generic"],
  background: ["eventTicket"],
  footer: ["boardingPass"],
};

const LOGO = google("logo", 660, 660, "circle");
const HERO = google("heroImage", 1032, 336, "cover");
const GOOGLE: Readonly<Partial<Record<ImageSlot, WalletSlot>>> = {
  icon: LOGO,
  logo: LOGO,
  wideLogo: google("wideLogo", 1280, 400, "inside"),
  strip: HERO,
  hero: HERO,
};

/** Where a wallet shows that image of a template; undefined when it does not. */
export function walletSlot(
  wallet: Wallet,
  kind: Kind,
  image: ImageSlot,
  matte?: string,
): WalletSlot | undefined {
  if (wallet === "apple") {
    return APPLE_KINDS[image]?.includes(kind) === false ? undefined : APPLE[image];
  }
  const slot = GOOGLE[image];
  // Logos made for a dark card would vanish on the white that Google puts under them.
  return slot === LOGO && matte !== undefined ? { ...slot, matte } : slot;
}

/** Kinds for which Google asks for a logo, so that the icon stands in where there is none. */
const ICON_AS_LOGO: readonly Kind[] = ["loyalty", "giftCard", "generic", "boardingPass"];

export type ImageUse = { readonly image: ImageSlot; readonly slot: WalletSlot };
export type ImagePaths = Readonly<Partial<Record<ImageSlot, string>>>;

/** Every slot that the images of a template fill. */
export function imageUses(kind: Kind, images: ImagePaths): ImageUse[] {
  const named = IMAGE_SLOTS.filter((image) => images[image] !== undefined);
  const shown: Record<Wallet, (image: ImageSlot) => boolean> = {
    apple: (image) => hiddenByStrip(kind, images, image) === false,
    google: (image) => {
      if (image === "strip") return images.hero === undefined;
      if (image === "icon") return images.logo === undefined && ICON_AS_LOGO.includes(kind);
      return true;
    },
  };
  return (["apple", "google"] as const).flatMap((wallet) =>
    named.filter(shown[wallet]).flatMap((image) => {
      const slot = walletSlot(wallet, kind, image);
      return slot === undefined ? [] : [{ image, slot }];
    }),
  );
}

/** An event ticket shows a strip, or a background and a thumbnail: never both. */
export function hiddenByStrip(kind: Kind, images: ImagePaths, image: ImageSlot): boolean {
  const givesWay = image === "background" || image === "thumbnail";
  return kind === "eventTicket" && givesWay && images.strip !== undefined;
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
