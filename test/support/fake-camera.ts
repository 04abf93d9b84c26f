import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import bwipjs from "bwip-js/node";

const WIDTH = 640;
const HEIGHT = 480;
const FRAMES = 2;
const WHITE = 235;
const BLACK = 16;
const GREY = 128;
const MODULE_PIXELS = 8;

/**
 * The flags of a Chromium whose camera shows a QR code, and asks nobody. The film for it is there
 * until the end of the `describe` that calls this.
 */
export function cameraShowing(text: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), "billfold-camera-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "code.y4m");
  writeFileSync(file, film(text));
  return [
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
    `--use-file-for-fake-video-capture=${file}`,
  ];
}

/** In the format YUV4MPEG2. */
function film(text: string): Buffer {
  const frame = Buffer.concat([
    Buffer.from("FRAME\n"),
    drawCode(text),
    Buffer.alloc((WIDTH * HEIGHT) / 2, GREY),
  ]);
  const head = Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420\n`);
  return Buffer.concat([head, ...Array.from({ length: FRAMES }, () => frame)]);
}

/** The brightness of each pixel: black modules on white, in the middle. */
function drawCode(text: string): Buffer {
  const [code] = bwipjs.raw({ bcid: "qrcode", text }) as {
    pixs: number[];
    pixx: number;
    pixy: number;
  }[];
  if (code === undefined) throw new Error("No code was drawn.");
  const picture = Buffer.alloc(WIDTH * HEIGHT, WHITE);
  const left = (WIDTH - code.pixx * MODULE_PIXELS) >> 1;
  const top = (HEIGHT - code.pixy * MODULE_PIXELS) >> 1;
  for (const [at, isBlack] of code.pixs.entries()) {
    if (isBlack === 0) continue;
    const x = left + (at % code.pixx) * MODULE_PIXELS;
    const y = top + Math.floor(at / code.pixx) * MODULE_PIXELS;
    for (let row = y; row < y + MODULE_PIXELS; row += 1) {
      picture.fill(BLACK, row * WIDTH + x, row * WIDTH + x + MODULE_PIXELS);
    }
  }
  return picture;
}
