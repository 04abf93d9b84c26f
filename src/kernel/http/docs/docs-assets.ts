import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, gzip } from "node:zlib";
import type { Encoding } from "./encoding.ts";

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);
const zip = promisify(gzip);

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

/** Each form is made when first asked for, and kept. */
export class Asset {
  readonly type: string;
  readonly #forms: Map<Encoding, Promise<Buffer>>;

  constructor(type: string, stored: Encoding, bytes: Buffer) {
    this.type = type;
    this.#forms = new Map([[stored, Promise.resolve(bytes)]]);
  }

  encoded(encoding: Encoding): Promise<Buffer> {
    let form = this.#forms.get(encoding);
    if (form === undefined) {
      form = this.#make(encoding);
      this.#forms.set(encoding, form);
    }
    return form;
  }

  /** Of the two forms files are stored in, one is there. */
  async #make(encoding: Encoding): Promise<Buffer> {
    switch (encoding) {
      case "identity":
        return await decompress(await this.encoded("br"));
      case "gzip":
        return await zip(await this.encoded("identity"));
      case "br":
        return await compress(await this.encoded("identity"));
    }
  }
}

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
