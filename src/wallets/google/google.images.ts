import type {
  ImageFit,
  ImageSlot,
  WalletImages,
  WalletSlot,
} from "#src/templates/language/public.ts";
import { type GoogleType, googleType } from "./google.kinds.ts";

/** Google takes one image, in pixels, and scales it for each device. */
function place(name: string, width: number, height: number, fit: ImageFit): WalletSlot {
  return { wallet: "Google Wallet", name, width, height, fit, scales: [1] };
}

const LOGO = place("logo", 660, 660, "circle");
const HERO = place("heroImage", 1032, 336, "cover");
const SLOTS: Readonly<Partial<Record<ImageSlot, WalletSlot>>> = {
  icon: LOGO,
  logo: LOGO,
  wideLogo: place("wideLogo", 1280, 400, "inside"),
  strip: HERO,
  hero: HERO,
};

/** Types of pass for which the icon is used as the logo if the template has no logo. */
const ICON_AS_LOGO: readonly GoogleType[] = ["loyalty", "giftCard", "generic", "transit"];

export const googleImages: WalletImages = {
  slot(_kind, image, matte) {
    const slot = SLOTS[image];
    // Google puts white under a logo. A logo made for a dark card would be invisible on white.
    return slot === LOGO && matte !== undefined ? { ...slot, matte } : slot;
  },
  shows(template, image) {
    const { images = {} } = template;
    const type = googleType(template);
    if (image === "strip") return images.hero === undefined;
    if (image === "icon") return images.logo === undefined && ICON_AS_LOGO.includes(type);
    return image !== "wideLogo" || type !== "flight";
  },
  lint: () => [],
};
