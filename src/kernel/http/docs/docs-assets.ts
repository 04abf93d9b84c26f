import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Asset } from "../asset.ts";
import type { Encoding } from "../encoding.ts";

const PAGE_DIRECTORY = new URL("page/", import.meta.url);
const VENDORED_REFERENCE = new URL(
  "../../../../vendor/scalar/api-reference.js.br",
  import.meta.url,
);
const OWN_FILES = [
  { name: "icon.svg", type: "image/svg+xml" },
  { name: "page.css", type: "text/css; charset=utf-8" },
  { name: "page.js", type: "text/javascript; charset=utf-8" },
] as const;

export type DocsAssets = {
  readonly page: string;
  readonly pageTag: string;
  /** By `<hash>/<name>`. */
  readonly assets: ReadonlyMap<string, Asset>;
};

export async function loadDocsAssets(): Promise<DocsAssets> {
  const assets = new Map<string, Asset>();
  let page = await readFile(new URL("index.html", PAGE_DIRECTORY), "utf8");
  const add = (name: string, type: string, stored: Encoding, bytes: Buffer) => {
    const path = `${hashOf(bytes)}/${name}`;
    assets.set(path, new Asset(type, stored, bytes));
    page = page.replaceAll(`{{${name}}}`, `docs/${path}`);
  };
  for (const { name, type } of OWN_FILES) {
    add(name, type, "identity", await readFile(new URL(name, PAGE_DIRECTORY)));
  }
  const reference = await readFile(VENDORED_REFERENCE);
  add("reference.js", "text/javascript; charset=utf-8", "br", reference);
  return { page, pageTag: `"${hashOf(Buffer.from(page))}"`, assets };
}

function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("base64url").slice(0, 16);
}
