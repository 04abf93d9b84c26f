import { createHash } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import { type ImageSlot, namedImages, type WalletSlot } from "#src/templates/language/public.ts";
import { type PublishedTemplate, slotKey, templatesOf } from "#src/templates/public.ts";
import { type Configuration, configurationOf } from "#src/tenants/public.ts";
import { googleImages } from "../google.images.ts";

const NAME_LENGTH = 32;

/** A picture that Google may fetch. */
export type PublicImage = {
  readonly path: string;
  /** The SHA-256 of the source, in hexadecimal. */
  readonly sourceHash: string;
  readonly slot: WalletSlot;
};

/**
 * All pictures of the templates in force, by the names under which they are public. A name follows
 * from the content, so what is at an address never changes. Nothing else of a tenant's files can be
 * asked for.
 */
export async function publicImagesOf(
  context: TenantContext,
): Promise<ReadonlyMap<string, PublicImage>> {
  const configuration = await configurationOf(context);
  return await configuration.derive("google images", async () => {
    const { templates } = await templatesOf(context);
    const images = new Map<string, PublicImage>();
    for (const template of templates.values()) {
      for (const slot of namedImages(template.template.images ?? {})) {
        const image = findImage(configuration, template, slot);
        if (image !== undefined) images.set(nameOf(image), image);
      }
    }
    return images;
  });
}

/** The address from which Google fetches a picture of a template; undefined if there is none. */
export async function imageUrlsOf(
  context: TenantContext,
  template: PublishedTemplate,
): Promise<(slot: ImageSlot) => string | undefined> {
  const configuration = await configurationOf(context);
  return (slot) => imageUrlOf(context, findImage(configuration, template, slot));
}

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

function nameOf({ sourceHash, slot }: PublicImage): string {
  const hash = createHash("sha256")
    .update(`${sourceHash} ${slotKey(slot)}`)
    .digest("hex");
  return hash.slice(0, NAME_LENGTH);
}
