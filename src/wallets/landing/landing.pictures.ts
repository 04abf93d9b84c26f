import type { ImageSlot, WalletSlot } from "#src/templates/language/public.ts";
import type { Template } from "#src/templates/public.ts";
import { appleImages } from "../apple/apple.images.ts";

/** The pictures of the page, by their address below the page. */
export const PICTURES = ["logo", "strip", "thumbnail", "brand", "cover"] as const;
export type Picture = (typeof PICTURES)[number];

export type PictureSource = { readonly path: string; readonly slot: WalletSlot };

/** Has `has` for every path of the tenant's files. */
type Paths = { has(path: string): boolean };

const BRANDING: Readonly<Record<"brand" | "cover", PictureSource>> = {
  brand: {
    path: "branding/logo",
    slot: pageSlot("brand", 240, 72, "inside"),
  },
  cover: { path: "branding/cover", slot: pageSlot("cover", 800, 320, "cover") },
};

const BRANDING_TYPES = [".png", ".jpg", ".jpeg", ".webp"];

function pageSlot(name: string, width: number, height: number, fit: WalletSlot["fit"]): WalletSlot {
  return { wallet: "the landing page", name, width, height, fit, scales: [1, 2] };
}

/**
 * The file of a picture and how it is fitted; undefined if the tenant has none. Pictures of the
 * card are fitted as on an iPhone, so that the page needs no pictures of its own for them.
 */
export function pictureSource(
  picture: Picture,
  template: Template,
  paths: Paths,
): PictureSource | undefined {
  if (picture === "brand" || picture === "cover") {
    const { path: stem, slot } = BRANDING[picture];
    const path = BRANDING_TYPES.map((type) => `${stem}${type}`).find((name) => paths.has(name));
    return path === undefined ? undefined : { path, slot };
  }
  const path = template.images?.[picture satisfies ImageSlot];
  const slot = appleImages.slot(template.kind, picture);
  if (path === undefined || slot === undefined || !paths.has(path)) return undefined;
  return appleImages.shows(template, picture) ? { path, slot } : undefined;
}
