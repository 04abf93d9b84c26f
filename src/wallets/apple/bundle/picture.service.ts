import type { TenantContext } from "#kernel/context.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import { namedImages, type WalletSlot } from "#src/templates/language/public.ts";
import { fittedImage, type PublishedTemplate } from "#src/templates/public.ts";
import { configurationOf } from "#src/tenants/public.ts";
import { appleImages } from "../apple.images.ts";
import type { ArchiveFile } from "./bundle.archive.ts";
import { type SharedFiles, shareFiles } from "./bundle.build.ts";
import { RecentBytes } from "./bundle.cache.ts";

const KEPT_BYTES_MAX = 64 * 1024 * 1024;

/** The same with and without the picture above the questions to the holder. */
type Pictures = {
  readonly plain: SharedFiles;
  readonly asking: SharedFiles;
  readonly sizeBytes: number;
};

/** By template: each version of a tenant's files has templates of its own. */
const picturesIn = perRuntime(() => ({
  kept: new RecentBytes<PublishedTemplate, Pictures>(KEPT_BYTES_MAX),
  underWay: new Map<PublishedTemplate, Promise<Pictures>>(),
}));

/**
 * The pictures of a template in all scales, fitted, checked and hashed once. `asks` says whether the
 * pass asks its holder something.
 */
export async function picturesOf(
  context: TenantContext,
  template: PublishedTemplate,
  asks: boolean,
): Promise<SharedFiles> {
  const { plain, asking } = await allPicturesOf(context, template);
  return asks ? asking : plain;
}

async function allPicturesOf(
  context: TenantContext,
  template: PublishedTemplate,
): Promise<Pictures> {
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
  const { images = {}, enrolment } = template;
  const files: ArchiveFile[] = [];
  for (const image of namedImages(images)) {
    if (image === "enrolmentLogo" || !appleImages.shows(template, image)) continue;
    files.push(...(await fitted(context, appleImages.slot(kind, image), images[image])));
  }
  const plain = shareFiles(files);
  const sizeBytes = plain.start.records.length;
  if (enrolment === undefined) return { plain, asking: plain, sizeBytes };
  const slot = appleImages.slot(kind, "enrolmentLogo");
  const logo = await fitted(context, slot, images.enrolmentLogo ?? images.logo);
  const asking = shareFiles([...files, ...logo]);
  return { plain, asking, sizeBytes: sizeBytes + asking.start.records.length };
}

async function fitted(
  context: TenantContext,
  slot: WalletSlot | undefined,
  path = "",
): Promise<ArchiveFile[]> {
  const { entries, read } = await configurationOf(context);
  const source = entries.get(path)?.hash.toString("hex");
  if (slot === undefined || source === undefined) return [];
  const readSource = async () => (await read(path)) ?? Buffer.alloc(0);
  const files: ArchiveFile[] = [];
  for (const scale of slot.scales) {
    const { bytes } = await fittedImage(context, source, readSource, slot, scale);
    files.push({ name: fileName(slot.name, scale), content: bytes });
  }
  return files;
}

function fileName(name: string, scale: number): string {
  return scale === 1 ? `${name}.png` : `${name}@${scale}x.png`;
}
