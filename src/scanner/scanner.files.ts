import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname } from "node:path/posix";
import { Asset } from "#kernel/http/asset.ts";

const FOLDER = new URL("page/", import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};
/** These have addresses of their own, which stay the same from version to version. */
const PAGE = "index.html";
const WORKER = "worker.js";
const MANIFEST = "manifest.webmanifest";

/** The decoder for browsers that have none: the part of zxing that reads, as its package has it. */
const DECODER = new URL(import.meta.resolve("zxing-wasm/reader"));
const DECODER_FILES: Readonly<Record<string, URL>> = {
  "zxing/reader/index.js": DECODER,
  "zxing/share.js": new URL("../share.js", DECODER),
  "zxing/zxing_reader.wasm": new URL(import.meta.resolve("zxing-wasm/reader/zxing_reader.wasm")),
};

const HASH_CHARS = 16;

export type ScannerFiles = {
  readonly page: string;
  /** The service worker, which names this version: another version is another text. */
  readonly worker: string;
  readonly manifest: string;
  /** By `<hash>/<name>`. */
  readonly assets: ReadonlyMap<string, Asset>;
};

export async function loadScannerFiles(): Promise<ScannerFiles> {
  const addresses = new Map(Object.entries(DECODER_FILES));
  for (const path of await readdir(FOLDER, { recursive: true })) {
    const name = path.replaceAll("\\", "/");
    if (name !== WORKER && extname(name) in TYPES) addresses.set(name, new URL(name, FOLDER));
  }
  const names = [...addresses.keys()].sort();
  const bytes = new Map<string, Buffer>();
  for (const name of names) bytes.set(name, await readFile(addresses.get(name) ?? FOLDER));
  const [page, worker, manifest] = await Promise.all([PAGE, WORKER, MANIFEST].map(read));
  const whole = createHash("sha256").update(page ?? "");
  // One hash for all files, because the scripts import each other by name.
  for (const file of bytes.values()) whole.update(file);
  const hash = whole.digest("base64url").slice(0, HASH_CHARS);
  const fill = (text = "") =>
    text.replaceAll("{{hash}}", hash).replace('"{{files}}"', JSON.stringify(names));
  return {
    page: fill(page),
    worker: fill(worker),
    manifest: fill(manifest),
    assets: new Map(
      [...bytes].map(([name, file]) => [
        `${hash}/${name}`,
        new Asset(TYPES[extname(name)] ?? "", "identity", file),
      ]),
    ),
  };
}

const read = (name: string) => readFile(new URL(name, FOLDER), "utf8");
