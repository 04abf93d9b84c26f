import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Asset } from "../asset.ts";

const PAGE_DIRECTORY = new URL("page/", import.meta.url);
const VENDORED_REFERENCE = new URL(
  "../../../../vendor/scalar/api-reference.js.br",
  import.meta.url,
);
const SCRIPT = "text/javascript; charset=utf-8";
const OWN_FILES: Readonly<Record<string, string>> = {
  "icon.svg": "image/svg+xml",
  "page.css": "text/css; charset=utf-8",
  "page.js": SCRIPT,
  "credentials.js": SCRIPT,
  "description.js": SCRIPT,
  "mend.js": SCRIPT,
  "sign-in.js": SCRIPT,
  "callback.js": SCRIPT,
};

export type DocsAssets = {
  /** The HTML pages, with the addresses of their scripts and styles filled in. */
  readonly index: string;
  readonly callback: string;
  /** Assets by `<hash>/<name>`. */
  readonly assets: ReadonlyMap<string, Asset>;
};

export async function loadDocsAssets(): Promise<DocsAssets> {
  const names = Object.keys(OWN_FILES);
  const own = await Promise.all(names.map((name) => readFile(new URL(name, PAGE_DIRECTORY))));
  const reference = await readFile(VENDORED_REFERENCE);
  // One hash for all our own files, because the scripts import each other by name.
  const ownHash = hashOf(...own);
  const assets = new Map<string, Asset>();
  const addresses = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    const path = `${ownHash}/${name}`;
    addresses.set(name, path);
    assets.set(path, new Asset(OWN_FILES[name] ?? "", "identity", own[index] ?? Buffer.alloc(0)));
  }
  const referencePath = `${hashOf(reference)}/reference.js`;
  addresses.set("reference.js", referencePath);
  assets.set(referencePath, new Asset(SCRIPT, "br", reference));

  const read = async (name: string) => {
    let page = await readFile(new URL(name, PAGE_DIRECTORY), "utf8");
    for (const [part, path] of addresses) page = page.replaceAll(`{{${part}}}`, `docs/${path}`);
    return page;
  };
  return { index: await read("index.html"), callback: await read("callback.html"), assets };
}

export function hashOf(...parts: readonly (Buffer | string)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("base64url").slice(0, 16);
}
