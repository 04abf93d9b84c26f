import sharp, { type Sharp } from "sharp";

/*
 * The only module that opens images with the image library. Images come from tenants, so the limits
 * here hold for every caller.
 */

export const IMAGE_BYTES_MAX = 10 * 1024 * 1024;
/** 16 megapixels: on either side more than twice what the largest slot of a wallet needs. */
export const IMAGE_PIXELS_MAX = 4_096 * 4_096;
const TIMEOUT_SECONDS = 10;
/**
 * Half of Node's default thread pool, so that signing and file access are not blocked by images.
 */
const AT_ONCE_MAX = 2;

sharp.cache(false);
sharp.concurrency(1);
// `imageFormat` below checks the first bytes. If a file passes that check anyway, the library
// itself still opens only these formats. SVG stays blocked because it may refer to files and hosts,
// other formats because their decoders are rarely used.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["VipsForeignLoadPng", "VipsForeignLoadJpeg", "VipsForeignLoadWebp"],
});

export type ImageFormat = "png" | "jpeg" | "webp";
export type ImageProblem = "not-an-image" | "svg" | "too-large" | "damaged";

/** Thrown if bytes cannot be used as an image. */
export class ImageError extends Error {
  readonly problem: ImageProblem;

  constructor(problem: ImageProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ImageError";
    this.problem = problem;
  }
}

/** Thrown if an image takes too long. On a busy machine that may happen to a good image, too. */
export class ImageTimeoutError extends ImageError {}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
const RIFF = Buffer.from("RIFF");
const WEBP = Buffer.from("WEBP");
const WEBP_AT = 8;
const SVG_SEEN_WITHIN = 1_024;

export function imageFormat(bytes: Buffer): ImageFormat {
  if (startsWith(bytes, PNG)) return "png";
  if (startsWith(bytes, JPEG)) return "jpeg";
  if (startsWith(bytes, RIFF) && startsWith(bytes.subarray(WEBP_AT), WEBP)) return "webp";
  if (/<svg[\s>]/i.test(bytes.subarray(0, SVG_SEEN_WITHIN).toString("latin1"))) {
    throw new ImageError("svg", "is an SVG, which may point at other files");
  }
  throw new ImageError("not-an-image", "is not a PNG, JPEG or WebP image");
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start);
}

/**
 * Opens an image, turned upright; of an animation, only the first frame. Waits until fewer than
 * `AT_ONCE_MAX` images are open.
 */
export async function withImage<Result>(
  bytes: Buffer,
  work: (image: Sharp) => Promise<Result>,
): Promise<Result> {
  imageFormat(bytes);
  if (bytes.length > IMAGE_BYTES_MAX) {
    throw new ImageError("too-large", `is larger than ${IMAGE_BYTES_MAX / 1024 / 1024} MiB`);
  }
  await takeTurn();
  try {
    const image = sharp(bytes, {
      limitInputPixels: IMAGE_PIXELS_MAX,
      failOn: "error",
      pages: 1,
      sequentialRead: true,
    });
    return await work(image.timeout({ seconds: TIMEOUT_SECONDS }).autoOrient());
  } catch (error) {
    throw asImageError(error);
  } finally {
    endTurn();
  }
}

function asImageError(cause: unknown): ImageError {
  if (cause instanceof ImageError) return cause;
  const message = cause instanceof Error ? cause.message : "";
  if (/pixel limit|too large|dimensions exceed/i.test(message)) {
    return new ImageError("too-large", "has more than 16 megapixels", { cause });
  }
  if (/timeout/i.test(message)) {
    return new ImageTimeoutError("too-large", "takes too long to read", { cause });
  }
  return new ImageError("damaged", "is cut off or damaged", { cause });
}

const waiting: (() => void)[] = [];
let running = 0;

async function takeTurn(): Promise<void> {
  if (running < AT_ONCE_MAX) {
    running += 1;
    return;
  }
  await new Promise<void>((resolve) => waiting.push(resolve));
}

/**
 * Passes the turn to the longest waiting caller. `running` stays the same, so that no new caller
 * can take the turn first.
 */
function endTurn(): void {
  const next = waiting.shift();
  if (next === undefined) running -= 1;
  else next();
}
