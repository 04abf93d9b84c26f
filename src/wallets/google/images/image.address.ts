import { createHash } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import type { ImageSlot, WalletSlot } from "#src/templates/language/public.ts";
import { type PublishedTemplate, slotKey } from "#src/templates/public.ts";
import type { Configuration } from "#src/tenants/public.ts";
import { googleImages } from "../google.images.ts";

const NAME_LENGTH = 32;

/** A picture that Google may fetch. */
export type PublicImage = {
  readonly path: string;
  /** The SHA-256 of the source, in hexadecimal. */
  readonly sourceHash: string;
  readonly slot: WalletSlot;
};

export function imageUrlOf(
  { runtime, tenantId }: TenantContext,
  image: PublicImage | undefined,
): string | undefined {
  return image && `${runtime.baseUrl}/p/${tenantId}/images/${nameOf(image)}.png`;
}

export function findImage(
  { entries }: Pick<Configuration, "entries">,
  { template }: Pick<PublishedTemplate, "template">,
  image: ImageSlot,
): PublicImage | undefined {
  const path = template.images?.[image];
  const entry = path === undefined ? undefined : entries.get(path);
  const slot = googleImages.slot(template.kind, image, template.colors?.background);
  if (entry === undefined || slot === undefined) return undefined;
  return { path: entry.path, sourceHash: entry.hash.toString("hex"), slot };
}

/** It follows from the content, so what is at an address never changes. */
export function nameOf({ sourceHash, slot }: PublicImage): string {
  const hash = createHash("sha256")
    .update(`${sourceHash} ${slotKey(slot)}`)
    .digest("hex");
  return hash.slice(0, NAME_LENGTH);
}
