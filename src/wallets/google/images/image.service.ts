import type { TenantContext } from "#kernel/context.ts";
import { type ImageSlot, namedImages } from "#src/templates/language/public.ts";
import { type PublishedTemplate, templatesOf } from "#src/templates/public.ts";
import { configurationOf } from "#src/tenants/public.ts";
import { findImage, imageUrlOf, nameOf } from "./image.address.ts";
import { findImageByName, insertImages, type NamedImage } from "./image.repository.ts";

/**
 * All pictures of the templates in force, by the names of their addresses. A name follows from the
 * content, so what is at an address never changes. They are stored before Google gets the first address: an
 * address leads to its picture as long as the tenant exists, also after later publications.
 */
async function keptImagesOf(context: TenantContext): Promise<ReadonlyMap<string, NamedImage>> {
  const configuration = await configurationOf(context);
  return await configuration.derive("google images", async () => {
    const { templates } = await templatesOf(context);
    const images = new Map<string, NamedImage>();
    for (const template of templates.values()) {
      for (const slot of namedImages(template.template.images ?? {})) {
        const image = findImage(configuration, template, slot);
        if (image !== undefined) images.set(nameOf(image), { ...image, name: nameOf(image) });
      }
    }
    if (images.size > 0) await context.transaction((tx) => insertImages(tx, [...images.values()]));
    return images;
  });
}

/**
 * The picture at an address that was given away, now or under an earlier version. Nothing else of a
 * tenant's files can be asked for.
 */
export async function findPublicImage(
  context: TenantContext,
  name: string,
): Promise<NamedImage | undefined> {
  return (await keptImagesOf(context)).get(name) ?? (await findImageByName(context, name));
}

/** The address from which Google fetches a picture of a template; undefined if there is none. */
export async function imageUrlsOf(
  context: TenantContext,
  template: PublishedTemplate,
): Promise<(slot: ImageSlot) => string | undefined> {
  const configuration = await configurationOf(context);
  await keptImagesOf(context);
  return (slot) => imageUrlOf(context, findImage(configuration, template, slot));
}
