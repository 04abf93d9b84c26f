import assert from "node:assert/strict";
import { describe, it } from "node:test";
import sharp from "sharp";
import type { FileSet } from "#src/files/public.ts";
import { appleImages } from "#src/wallets/apple/apple.images.ts";
import { googleImages } from "#src/wallets/google/google.images.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import type { Template } from "../template.schema.ts";
import * as checks from "./image.checks.ts";

const imageFindings = (templates: readonly checks.ImageNames[], set: FileSet) =>
  checks.imageFindings(templates, set, [appleImages, googleImages]);
const FILE = "server/passes/club.yml";

function plain(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: "#1f2a44" } })
    .png()
    .toBuffer();
}

type Images = NonNullable<Template["images"]>;

/** Returns the code and the place of each finding. The place is written as its pointer. */
async function check(
  of: Template["kind"] | Pick<Template, "kind" | "transit">,
  images: Images | undefined,
  files: Record<string, Buffer>,
): Promise<string[]> {
  const pointers: string[] = [];
  const place = (pointer: readonly string[]) => {
    pointers.push(pointer.join("."));
    return { file: FILE, line: pointers.length, column: 1 };
  };
  const owner = typeof of === "string" ? { kind: of } : of;
  const template = images === undefined ? owner : { ...owner, images };
  const findings = await imageFindings([{ template, place }], new Map(Object.entries(files)));
  return findings.map(({ code, line, file }) => {
    const pointer = line === null ? file : pointers[line - 1];
    return `${code} ${pointer}`;
  });
}

const icon = await plain(660, 660);
const files = { "images/icon.png": icon };
const images = { icon: "images/icon.png" };

describe("findings about images", () => {
  it("has nothing to say of images that fit", async () => {
    const found = await check(
      "eventTicket",
      { ...images, logo: "images/logo.png", background: "images/b.png", hero: "images/h.png" },
      {
        ...files,
        "images/logo.png": await plain(960, 300),
        "images/b.png": await plain(1_035, 1_515),
        "images/h.png": await plain(1_032, 336),
        "branding/page.png": icon,
      },
    );

    assert.deepEqual(found, []);
  });

  it("image.icon-missing: without an icon Apple refuses the pass", async () => {
    assert.deepEqual(await check("loyalty", undefined, {}), ["image.icon-missing images"]);
    assert.deepEqual(await check("loyalty", {}, {}), ["image.icon-missing images"]);
  });

  it("image.file-missing: a path without a file, with the file that was meant", async () => {
    assert.deepEqual(await check("loyalty", { icon: "images/Icon.PNG" }, files), [
      "image.file-missing images.icon",
      "image.unused images/icon.png",
    ]);
    const [finding] = await imageFindings(
      [
        {
          template: { kind: "loyalty", images: { icon: "Icon.jpg" } },
          place: () => ({ file: FILE }),
        },
      ],
      new Map([["images/icon.png", icon]]),
    );
    assert.equal(finding?.message, "There is no file 'Icon.jpg'.");
    assert.equal(finding.hint, "Did you mean 'images/icon.png'?");
  });

  it("image.not-an-image, image.svg, image.damaged: what cannot be used", async () => {
    const broken = {
      "a.png": Buffer.from("no picture"),
      "b.png": Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"),
      "c.png": icon.subarray(0, icon.length - 40),
    };
    const codes = Object.keys(broken).map((path) => check("loyalty", { icon: path }, broken));

    assert.deepEqual(await Promise.all(codes), [
      ["image.not-an-image images.icon"],
      ["image.svg images.icon"],
      ["image.damaged images.icon"],
    ]);
  });

  it("image.too-small: with the size that is wanted", async () => {
    const small = { ...files, "images/strip.png": await plain(750, 288) };
    const strip = { ...images, strip: "images/strip.png" };

    assert.deepEqual(await check("loyalty", strip, small), ["image.too-small images.strip"]);
    const [finding] = await imageFindings(
      [{ template: { kind: "loyalty", images: strip }, place: () => ({ file: FILE }) }],
      new Map(Object.entries(small)),
    );
    assert.equal(finding?.hint, "Use an image of at least 1125 × 432 pixels.");
    assert.equal(finding.severity, "warning");
  });

  it("image.too-small: an icon that stands in for Google's logo has to be as large as one", async () => {
    const small = { "images/icon.png": await plain(114, 114) };
    const logo = { "images/logo.png": await plain(480, 150) };

    assert.deepEqual(await check("loyalty", images, small), ["image.too-small images.icon"]);
    assert.deepEqual(await check("coupon", images, small), []);
    assert.deepEqual(
      await check("loyalty", { ...images, logo: "images/logo.png" }, { ...small, ...logo }),
      [],
    );
  });

  it("image.too-small: says nothing of an image that a flight does not show on Google", async () => {
    const small = {
      "images/icon.png": await plain(114, 114),
      "images/wide.png": await plain(320, 100),
    };
    const named = { ...images, wideLogo: "images/wide.png" };

    assert.deepEqual(
      await check({ kind: "boardingPass", transit: { type: "air" } }, named, small),
      [],
    );
    assert.deepEqual(
      await check({ kind: "boardingPass", transit: { type: "train" } }, named, small),
      ["image.too-small images.icon", "image.too-small images.wideLogo"],
    );
  });

  it("image.aspect-ratio: another shape than its place", async () => {
    const square = { ...files, "images/strip.png": await plain(1_200, 1_200) };
    const wide = { "images/icon.png": await plain(1_600, 660) };

    assert.deepEqual(await check("loyalty", { ...images, strip: "images/strip.png" }, square), [
      "image.aspect-ratio images.strip",
    ]);
    assert.deepEqual(await check("coupon", images, wide), ["image.aspect-ratio images.icon"]);
  });

  it("image.wrong-slot: what Apple does not show on this kind of pass", async () => {
    const large = { ...files, "images/x.png": await plain(1_500, 500) };
    const x = "images/x.png";

    const generic = await check("generic", { ...images, strip: x }, large);
    const ticket = await check("eventTicket", { ...images, strip: x, background: x }, large);

    assert.deepEqual(generic, ["image.wrong-slot images.strip"]);
    assert.deepEqual(ticket, ["image.wrong-slot images.background"]);
  });

  it("image.too-large: a picture that takes too long once may be good the next time", async (t) => {
    const slow = { "images/icon.png": await plain(661, 661) };
    // The image library fails with these words when its time limit ends the work.
    const fail = async () => {
      throw new Error("timeout: 12% complete");
    };
    t.mock.method(Object.getPrototypeOf(sharp(icon)), "toBuffer", fail, { times: 1 });

    assert.deepEqual(await check("coupon", images, slow), ["image.too-large images.icon"]);
    assert.deepEqual(await check("coupon", images, slow), []);
  });

  it("image.unused: a picture nobody asks for", async () => {
    const more = { ...files, "images/old.png": icon };

    assert.deepEqual(await check("coupon", images, more), ["image.unused images/old.png"]);
  });

  it("image.too-large: many images, each within its limit, are too much together", async () => {
    const paths = Array.from({ length: 6 }, (_, at) => `images/${at}.png`);
    const bombs = await Promise.all(paths.map((_, at) => plain(4_000 + at, 4_000)));
    const set = new Map(paths.map((path, at) => [path, bombs[at] ?? icon]));
    const templates = paths.map((path) => ({
      template: { kind: "coupon" as const, images: { icon: path } },
      place: () => ({ file: FILE }),
    }));

    const elapsedMs = startStopwatch();
    const codes = (await imageFindings(templates, set)).map(({ code }) => code);

    assert.deepEqual(codes, ["image.too-large", "image.too-large"]);
    assert.ok(elapsedMs() < 5_000);
  });
});
