import { type FileSet, type Finding, isYaml, type Place } from "#src/files/public.ts";
import type { ImageSlot } from "../template.schema.ts";
import { ImageError, type ImageProblem } from "./image.engine.ts";
import {
  imageAspectRatio,
  imageDamaged,
  imageFileMissing,
  imageSvg,
  imageTooLarge,
  imageTooSmall,
  imageUnused,
  notAnImage,
} from "./image.findings.ts";
import { type ImageFacts, imageSize, inspectImage, isInspected } from "./image.inspect.ts";
import {
  circleSafePixels,
  fillsCircle,
  type ImageTemplate,
  type ImageUse,
  imageUses,
  keptPixels,
  largestPixels,
  namedImages,
  type PixelSize,
  type WalletImages,
  type WalletSlot,
} from "./image.slots.ts";

/** A template with its images, and a function that finds their places in the file. */
export type ImageNames = {
  readonly template: ImageTemplate;
  place(pointer: readonly string[]): Place;
};

/** How many pixels one check decodes at most. Hostile images of this size take some seconds. */
const PIXELS_READ_MAX = 64 * 1024 * 1024;

/**
 * Checks the images of all templates of a set. Never throws because of an image. Unused images are
 * reported only if `templates` has all templates of the set.
 */
export async function imageFindings(
  templates: readonly ImageNames[],
  files: FileSet,
  wallets: readonly WalletImages[],
  areAll = true,
): Promise<Finding[]> {
  const reader = new ImageReader(files);
  const findings: Finding[] = [];
  for (const names of templates) {
    const { kind, images = {} } = names.template;
    findings.push(...wallets.flatMap((wallet) => wallet.lint(kind, images, names.place)));
    findings.push(...(await pictureFindings(names, wallets, reader)));
  }
  return areAll ? [...findings, ...unusedFindings(templates, files)] : findings;
}

async function pictureFindings(
  { template, place }: ImageNames,
  wallets: readonly WalletImages[],
  reader: ImageReader,
): Promise<Finding[]> {
  const { images = {} } = template;
  const uses = imageUses(wallets, template);
  const findings: Finding[] = [];
  for (const image of namedImages(images)) {
    const path = images[image] ?? "";
    const at = place(["images", image]);
    const facts = await reader.read(path, at);
    if ("code" in facts) findings.push(facts);
    else findings.push(...sizeFindings({ path, facts, at, uses: usesOf(image, uses) }));
  }
  return findings;
}

function usesOf(image: ImageSlot, uses: readonly ImageUse[]): WalletSlot[] {
  return uses.filter((use) => use.image === image).map(({ slot }) => slot);
}

class ImageReader {
  readonly #files: FileSet;
  #pixelsRead = 0;

  constructor(files: FileSet) {
    this.#files = files;
  }

  async read(path: string, at: Place): Promise<ImageFacts | Finding> {
    const bytes = this.#files.get(path);
    if (bytes === undefined) return imageFileMissing(at, { path, alike: this.#alike(path) });
    try {
      await this.#account(bytes);
      return await inspectImage(bytes);
    } catch (error) {
      if (!(error instanceof ImageError)) throw error;
      return PROBLEMS[error.problem](at, { path, reason: error.message });
    }
  }

  async #account(bytes: Buffer): Promise<void> {
    if (await isInspected(bytes)) return;
    const { width, height } = await imageSize(bytes);
    this.#pixelsRead += width * height;
    if (this.#pixelsRead > PIXELS_READ_MAX) {
      const reason = "and the images before it hold together more than 64 megapixels";
      throw new ImageError("too-large", reason);
    }
  }

  /**
   * Finds a file with the same name in another folder, in other letter case or with another
   * extension.
   */
  #alike(path: string): string | undefined {
    const stem = stemOf(path);
    return [...this.#files.keys()].find((other) => !isYaml(other) && stemOf(other) === stem);
  }
}

function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? name : name.slice(0, dot);
}

type Problem = (place: Place, facts: { path: string; reason: string }) => Finding;
const PROBLEMS: Readonly<Record<ImageProblem, Problem>> = {
  "not-an-image": notAnImage,
  svg: imageSvg,
  damaged: imageDamaged,
  "too-large": imageTooLarge,
};

type Sizing = {
  readonly path: string;
  readonly facts: ImageFacts;
  readonly at: Place;
  readonly uses: readonly WalletSlot[];
};

/**
 * Reports only the worst slot for each problem, because an image used in two wallets is corrected
 * once.
 */
function sizeFindings({ path, facts, at, uses }: Sizing): Finding[] {
  const size = { width: facts.width, height: facts.height };
  const tight = worst(uses, (slot) => enlargement(slot, facts), ENLARGED_MAX);
  const cut = worst(uses, (slot) => lostShare(slot, facts), LOST_MAX);
  return [
    ...tight.map(([slot]) => {
      const wanted = largestPixels(slot);
      return imageTooSmall(at, { path, size, wanted, where: nameOf(slot) });
    }),
    ...cut.map(([slot, share]) => {
      const percent = Math.round(share * 100);
      const wanted = largestPixels(slot);
      return imageAspectRatio(at, { path, size, wanted, percent, where: nameOf(slot) });
    }),
  ];
}

/** Rounding may change a side by a pixel or two, so two percent are allowed. */
const ENLARGED_MAX = 1.02;
const LOST_MAX = 0.25;

function worst(
  slots: readonly WalletSlot[],
  measure: (slot: WalletSlot) => number,
  allowed: number,
): [WalletSlot, number][] {
  return slots
    .map((slot): [WalletSlot, number] => [slot, measure(slot)])
    .filter(([, value]) => value > allowed)
    .sort(([, left], [, right]) => right - left)
    .slice(0, 1);
}

/** By which factor the source must be enlarged for the largest scale. */
function enlargement(slot: WalletSlot, facts: ImageFacts): number {
  const full = largestPixels(slot);
  const isRound = slot.fit === "circle" && !fillsCircle(facts, !facts.hasAlpha);
  const box = isRound ? circleSafePixels(full) : full;
  const kept = keptPixels(slot, facts);
  return Math.min(box.width / kept.width, box.height / kept.height);
}

/**
 * The share of the image that is cut off, or with `contain`, the share of the slot that stays
 * empty.
 */
function lostShare(slot: WalletSlot, facts: PixelSize): number {
  if (slot.fit === "contain") {
    const factor = Math.min(slot.width / facts.width, slot.height / facts.height);
    return 1 - (facts.width * facts.height * factor ** 2) / (slot.width * slot.height);
  }
  const kept = keptPixels(slot, facts);
  return 1 - (kept.width * kept.height) / (facts.width * facts.height);
}

function nameOf({ wallet, name }: WalletSlot): string {
  return `'${name}' of ${wallet}`;
}

const IMAGE_FOLDER = "images/";

/** Only files in `images/` can be unused. Images of public pages are in `branding/`. */
function unusedFindings(templates: readonly ImageNames[], files: FileSet): Finding[] {
  const used = new Set(templates.flatMap(({ template }) => Object.values(template.images ?? {})));
  return [...files.keys()]
    .filter((path) => path.startsWith(IMAGE_FOLDER) && !used.has(path))
    .map((path) => imageUnused({ file: path }, { path }));
}
