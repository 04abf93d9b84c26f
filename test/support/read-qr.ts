import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

const wasm = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm");
prepareZXingModule({ overrides: { wasmBinary: readFileSync(wasm).buffer as ArrayBuffer } });

/** What a phone would read on this picture, by a decoder that is not ours. */
export async function readQr(png: Uint8Array): Promise<string | undefined> {
  const [found] = await readBarcodes(new Uint8Array(png), { formats: ["QRCode"] });
  return found?.text;
}
