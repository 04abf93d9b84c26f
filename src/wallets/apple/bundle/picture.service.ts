import type { TenantContext } from "#kernel/context.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import { namedImages } from "#src/templates/language/public.ts";
import { fittedImage, type PublishedTemplate } from "#src/templates/public.ts";
import { configurationOf } from "#src/tenants/public.ts";
import { appleImages } from "../apple.images.ts";
import type { ArchiveFile } from "./bundle.archive.ts";
import { type SharedFiles, shareFiles } from "./bundle.build.ts";
import { RecentBytes } from "./bundle.cache.ts";

const KEPT_BYTES_MAX = 64 * 1024 * 1024;

type Pictures = SharedFiles & { readonly sizeBytes: number };

/** By template: each version of a tenant's files has templates of its own. */
const picturesIn = perRuntime(() => ({
  kept: new RecentBytes<PublishedTemplate, Pictures>(KEPT_BYTES_MAX),
  underWay: new Map<PublishedTemplate, Promise<Pictures>>(),
}));

/** The pictures of a template in all scales, fitted, checked and hashed once. */
export async function picturesOf(
  context: TenantContext,
  template: PublishedTemplate,
): Promise<SharedFiles> {
  const { kept, underWay } = picturesIn(context.runtime);
  const known = kept.get(template) ?? underWay.get(template);
  if (known !== undefined) return await known;
  const making = makePictures(context, template);
  underWay.set(template, making);
  try {
    const pictures = await making;
    kept.set(template, pictures);
    return pictures;
  } finally {
    underWay.delete(template);
  }
}

async function makePictures(
  context: TenantContext,
  { kind, template }: PublishedTemplate,
): Promise<Pictures> {
  const { entries, read } = await configurationOf(context);
  const files: ArchiveFile[] = [];
  for (const image of namedImages(template.images ?? {})) {
    const path = template.images?.[image] ?? "";
    const slot = appleImages.slot(kind, image);
    const source = entries.get(path)?.hash.toString("hex");
    if (slot === undefined || source === undefined || !appleImages.shows(template, image)) continue;
    const readSource = async () => (await read(path)) ?? Buffer.alloc(0);
    for (const scale of slot.scales) {
      const { bytes } = await fittedImage(context, source, readSource, slot, scale);
      files.push({ name: fileName(slot.name, scale), content: bytes });
    }
  }
  const shared = shareFiles(files);
  return { ...shared, sizeBytes: shared.start.records.length };
}

function fileName(name: string, scale: number): string {
  return scale === 1 ? `${name}.png` : `${name}@${scale}x.png`;
}
