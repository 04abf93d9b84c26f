import { promisify } from "node:util";
import zlib, { brotliCompress, brotliDecompress, gzip } from "node:zlib";
import type { Encoding } from "./encoding.ts";

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);
const zip = promisify(gzip);
/** Quality 11, the best, saves a tenth more but makes the first caller wait for seconds. */
const BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 9 } };

/**
 * Bytes that are the same for every caller. Each encoding is made when it is first requested, and
 * kept.
 */
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

  /** An asset starts with its plain or its brotli form, and the other forms are made from that. */
  async #make(encoding: Encoding): Promise<Buffer> {
    switch (encoding) {
      case "identity":
        return await decompress(await this.encoded("br"));
      case "gzip":
        return await zip(await this.encoded("identity"));
      case "br":
        return await compress(await this.encoded("identity"), BROTLI);
    }
  }
}
