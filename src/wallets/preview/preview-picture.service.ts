import { hash } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import {
  type CompiledTemplate,
  type ImageSlot,
  namedImages,
  type WalletSlot,
} from "#src/templates/language/public.ts";
import { fittedImage, ImageError } from "#src/templates/public.ts";
import type { TriedFiles } from "#src/tenants/public.ts";
import { appleImages } from "../apple/apple.images.ts";
import { findImage, imageUrlOf } from "../google/images/image.address.ts";
import type { PreviewImage } from "./preview.schema.ts";

/** The files that a preview is made of: those in force, or some that are not stored. */
export type PreviewFiles = Pick<TriedFiles, "entries" | "read">;
type Previewed = Pick<CompiledTemplate, "kind" | "template">;

const HASH_LENGTH = 32;
/** What most screens show. */
const APPLE_SCALE = 2;

/** Makes the pictures of a preview. One whose file is missing or damaged is left out. */
export class PreviewPictures {
  readonly #context: TenantContext;
  readonly #files: PreviewFiles;
  readonly #known: ReadonlySet<string>;

  constructor(context: TenantContext, files: PreviewFiles, known: readonly string[]) {
    this.#context = context;
    this.#files = files;
    this.#known = new Set(known);
  }

  async apple({ kind, template }: Previewed): Promise<PreviewImage[]> {
    const { images = {} } = template;
    const made: PreviewImage[] = [];
    for (const image of namedImages(images)) {
      if (image === "enrolmentLogo" || !appleImages.shows(template, image)) continue;
      const slot = appleImages.slot(kind, image);
      if (slot === undefined) continue;
      const name = `${slot.name}@${APPLE_SCALE}x.png`;
      made.push(...(await this.#make(name, images[image], slot, APPLE_SCALE)));
    }
    return made;
  }

  /** The addresses that Google gets, and afterwards the pictures whose addresses were asked for. */
  google(template: Previewed) {
    const asked = new Map<string, { path: string; slot: WalletSlot }>();
    const imageUrl = (image: ImageSlot) => {
      const found = findImage(this.#files, template, image);
      const url = imageUrlOf(this.#context, found);
      if (url !== undefined && found !== undefined) asked.set(url, found);
      return url;
    };
    const images = async () => {
      const made: PreviewImage[] = [];
      for (const [url, { path, slot }] of asked)
        made.push(...(await this.#make(url, path, slot, 1)));
      return made;
    };
    return { imageUrl, images };
  }

  async #make(
    name: string,
    path: string | undefined,
    slot: WalletSlot,
    scale: 1 | 2,
  ): Promise<PreviewImage[]> {
    const source = this.#files.entries.get(path ?? "")?.hash.toString("hex");
    if (path === undefined || source === undefined) return [];
    const read = async () => (await this.#files.read(path)) ?? Buffer.alloc(0);
    try {
      const { bytes } = await fittedImage(this.#context, source, read, slot, scale);
      const own = hash("sha256", bytes).slice(0, HASH_LENGTH);
      return [{ name, hash: own, base64: this.#known.has(own) ? null : bytes.toString("base64") }];
    } catch (error) {
      if (error instanceof ImageError) return [];
      throw error;
    }
  }
}
