import { defineFinding, type FindingKind } from "#src/files/public.ts";
import type { PixelSize } from "./image.slots.ts";

type Named = { readonly path: string };
type Sized = Named & { readonly size: PixelSize; readonly where: string };

const pixels = ({ width, height }: PixelSize) => `${width} × ${height} pixels`;

export const imageFileMissing = defineFinding<Named & { readonly alike: string | undefined }>({
  code: "image.file-missing",
  severity: "error",
  summary: "A template names an image that is not among the files.",
  hint: "Add the file, or correct the path; it starts at the root: images/logo.png.",
  message: ({ path }) => `There is no file '${path}'.`,
  advice: ({ alike }) => (alike === undefined ? undefined : `Did you mean '${alike}'?`),
});

export const notAnImage = defineFinding<Named>({
  code: "image.not-an-image",
  severity: "error",
  summary: "A file named as an image is none that can be used.",
  hint: "Use a PNG, JPEG or WebP file. The name of a file does not change what is in it.",
  message: ({ path }) => `'${path}' is not a PNG, JPEG or WebP image.`,
});

export const imageSvg = defineFinding<Named>({
  code: "image.svg",
  severity: "error",
  summary: "A file named as an image is an SVG, which is not taken.",
  hint: "Save it as a PNG of the wanted size. An SVG may point at other files and hosts.",
  message: ({ path }) => `'${path}' is an SVG.`,
});

export const imageDamaged = defineFinding<Named>({
  code: "image.damaged",
  severity: "error",
  summary: "An image is cut off or damaged.",
  hint: "Open the original and save it again.",
  message: ({ path }) => `'${path}' is cut off or damaged.`,
});

export const imageTooLarge = defineFinding<Named & { readonly reason: string }>({
  code: "image.too-large",
  severity: "error",
  summary: "An image, or all images together, are larger than can be taken.",
  hint: "Save it smaller: no wallet shows more than 1,280 pixels of width.",
  message: ({ path, reason }) => `'${path}' ${reason}.`,
});

export const imageTooSmall = defineFinding<Sized & { readonly wanted: PixelSize }>({
  code: "image.too-small",
  severity: "warning",
  summary: "An image has fewer pixels than screens show of it, and looks blurred.",
  hint: "Save it from the original in a larger size.",
  message: ({ path, size, where }) => `'${path}' has ${pixels(size)}, too few for ${where}.`,
  advice: ({ wanted }) => `Use an image of at least ${pixels(wanted)}.`,
});

export const imageAspectRatio = defineFinding<
  Sized & { readonly percent: number; readonly wanted: PixelSize }
>({
  code: "image.aspect-ratio",
  severity: "warning",
  summary: "An image has another shape than its place, so much of it is cut off or left empty.",
  hint: "Give the image the shape of its place.",
  message: ({ path, size, percent, where }) =>
    `'${path}' has ${pixels(size)}: ${percent} % is lost in ${where}.`,
  advice: ({ wanted }) => `Use the shape of ${pixels(wanted)}.`,
});

export const imageUnused = defineFinding<Named>({
  code: "image.unused",
  severity: "info",
  summary: "No template uses this image.",
  hint: "Remove the file, or name it in a template.",
  message: ({ path }) => `No template uses '${path}'.`,
});

export const imageFindingKinds: readonly FindingKind[] = [
  imageFileMissing,
  notAnImage,
  imageSvg,
  imageDamaged,
  imageTooLarge,
  imageTooSmall,
  imageAspectRatio,
  imageUnused,
];
