import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Asset } from "#kernel/http/asset.ts";

const FOLDER = new URL("page/", import.meta.url);
const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";

const LANGUAGES = ["en", "de", "fr", "es", "it", "nl", "pt"] as const;

/** The files of the page, which its scripts import from each other by these names. */
const OWN_FILES: Readonly<Record<string, string>> = {
  "icon.svg": "image/svg+xml",
  ...Object.fromEntries(
    ["page", "pairing", "camera", "desk", "menu", "result"].map((name) => [`${name}.css`, STYLE]),
  ),
  ...Object.fromEntries(
    [
      "page",
      "api",
      "camera",
      "decoder",
      "decoder-thread",
      "dom",
      "gate-list",
      "gun",
      "history",
      "link",
      "menu",
      "outbox",
      "pairing",
      "result",
      "scans",
      "settings",
      "sound",
      "store",
      "words",
    ].map((name) => [`${name}.js`, SCRIPT]),
  ),
  ...Object.fromEntries(LANGUAGES.map((language) => [`words/${language}.js`, SCRIPT])),
};

/** The decoder for browsers that have none: the part of zxing that reads, as its package has it. */
const DECODER = new URL(import.meta.resolve("zxing-wasm/reader"));
const DECODER_FILES: Readonly<Record<string, { readonly type: string; readonly at: URL }>> = {
  "zxing/reader/index.js": { type: SCRIPT, at: DECODER },
  "zxing/share.js": { type: SCRIPT, at: new URL("../share.js", DECODER) },
  "zxing/zxing_reader.wasm": {
    type: "application/wasm",
    at: new URL(import.meta.resolve("zxing-wasm/reader/zxing_reader.wasm")),
  },
};

const HASH_CHARS = 16;

export type ScannerFiles = {
  readonly index: string;
  /** The service worker, which names this version: another version is another text. */
  readonly worker: string;
  readonly manifest: string;
  /** By `<hash>/<name>`. */
  readonly assets: ReadonlyMap<string, Asset>;
};

export async function loadScannerFiles(): Promise<ScannerFiles> {
  const files = [
    ...Object.entries(OWN_FILES).map(([name, type]) => ({ name, type, at: new URL(name, FOLDER) })),
    ...Object.entries(DECODER_FILES).map(([name, { type, at }]) => ({ name, type, at })),
  ];
  const bytes = await Promise.all(files.map(({ at }) => readFile(at)));
  const [page, worker, manifest] = await Promise.all(
    ["index.html", "worker.js", "manifest.webmanifest"].map((name) =>
      readFile(new URL(name, FOLDER), "utf8"),
    ),
  );
  const whole = createHash("sha256");
  // One hash for all files, because the scripts import each other by name.
  for (const file of [...bytes, page ?? ""]) whole.update(file);
  const hash = whole.digest("base64url").slice(0, HASH_CHARS);
  const names = files.map(({ name }) => name);
  const filled = (text = "") =>
    text.replaceAll("{{hash}}", hash).replaceAll('"{{files}}"', JSON.stringify(names));
  return {
    index: filled(page),
    worker: filled(worker),
    manifest: filled(manifest),
    assets: new Map(
      files.map(({ name, type }, at) => [
        `${hash}/${name}`,
        new Asset(type, "identity", bytes[at] ?? Buffer.alloc(0)),
      ]),
    ),
  };
}
