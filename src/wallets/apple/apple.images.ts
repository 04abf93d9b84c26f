import type { Finding } from "#src/files/public.ts";
import {
  type ImageFit,
  type ImagePaths,
  type ImageSlot,
  type Kind,
  namedImages,
  type WalletImages,
  type WalletSlot,
} from "#src/templates/language/public.ts";
import { iconMissing, imageWrongSlot } from "./apple.findings.ts";
import { ENROLMENT_KIND } from "./enrolment/enrolment.rules.ts";

function place(
  name: string,
  width: number,
  height: number,
  fit: ImageFit,
  aspect?: WalletSlot["aspect"],
): WalletSlot {
  const slot = { wallet: "Apple Wallet", name, width, height, fit, scales: [1, 2, 3] } as const;
  return aspect === undefined ? slot : { ...slot, aspect };
}

const SLOTS: Readonly<Partial<Record<ImageSlot, WalletSlot>>> = {
  icon: place("icon", 38, 38, "contain"),
  logo: place("logo", 160, 50, "inside"),
  strip: place("strip", 375, 144, "cover"),
  thumbnail: place("thumbnail", 90, 90, "inside", { min: 2 / 3, max: 3 / 2 }),
  background: place("background", 345, 505, "cover"),
  footer: place("footer", 286, 15, "inside"),
  enrolmentLogo: place("personalizationLogo", 150, 40, "contain"),
  artwork: place("artwork", 358, 448, "cover"),
  primaryLogo: place("primaryLogo", 126, 30, "inside"),
  secondaryLogo: place("secondaryLogo", 135, 12, "inside"),
};

/**
 * Images that only some kinds of pass show. All other images in `SLOTS` are shown on every kind.
 */
const KINDS: Readonly<Partial<Record<ImageSlot, readonly Kind[]>>> = {
  strip: ["loyalty", "coupon", "giftCard", "eventTicket"],
  thumbnail: ["eventTicket", "generic"],
  background: ["eventTicket"],
  footer: ["boardingPass"],
  enrolmentLogo: [ENROLMENT_KIND],
  artwork: ["eventTicket", "loyalty", "coupon", "giftCard", "generic"],
  secondaryLogo: ["eventTicket"],
};

const slotOf = (kind: Kind, image: ImageSlot): WalletSlot | undefined =>
  KINDS[image]?.includes(kind) === false ? undefined : SLOTS[image];

/** An event ticket shows either a strip, or a background and a thumbnail. The strip wins. */
function isHiddenByStrip(kind: Kind, images: ImagePaths, image: ImageSlot): boolean {
  const givesWay = image === "background" || image === "thumbnail";
  return kind === "eventTicket" && givesWay && images.strip !== undefined;
}

/** Cards show the logo of a poster only where they are posters. */
function lacksPoster(kind: Kind, images: ImagePaths, image: ImageSlot): boolean {
  const isCard = kind !== "eventTicket" && kind !== "boardingPass";
  return image === "primaryLogo" && isCard && images.artwork === undefined;
}

/** The reason why Apple Wallet does not show an image that it has a slot for. */
function problemOf(kind: Kind, images: ImagePaths, image: ImageSlot): string | undefined {
  if (isHiddenByStrip(kind, images, image)) return "together with 'strip'";
  if (lacksPoster(kind, images, image)) return "without 'artwork'";
  const isMeantForIt = SLOTS[image] !== undefined;
  return isMeantForIt && slotOf(kind, image) === undefined
    ? `on a pass of kind '${kind}'`
    : undefined;
}

export const appleImages: WalletImages = {
  slot: slotOf,
  shows: ({ kind, images = {}, enrolment }, image) =>
    !isHiddenByStrip(kind, images, image) &&
    !lacksPoster(kind, images, image) &&
    (image !== "enrolmentLogo" || enrolment !== undefined),
  lint(kind, images, at): Finding[] {
    const missing = images.icon === undefined ? [iconMissing(at(["images"]))] : [];
    const wrong = namedImages(images).flatMap((image) => {
      const reason = problemOf(kind, images, image);
      return reason === undefined ? [] : [imageWrongSlot(at(["images", image]), { image, reason })];
    });
    return [...missing, ...wrong];
  },
};
