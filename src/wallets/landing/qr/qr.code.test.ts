import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import fc from "fast-check";
import sharp from "sharp";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";
import { qrCode } from "./qr.code.ts";
import { qrPicture } from "./qr.picture.ts";
import { dataCodewords, sizeOf, VERSION_MAX } from "./qr.tables.ts";

const wasm = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm");
prepareZXingModule({ overrides: { wasmBinary: readFileSync(wasm).buffer as ArrayBuffer } });

const LOAD_SVG = "VipsForeignLoadSvg";

/** Draws the picture that a page shows and reads it with a decoder that is not ours. */
async function readBack(text: string) {
  const code = qrCode(text);
  assert.ok(code !== undefined);
  const { path, viewBox } = qrPicture(code);
  const side = (code.size + 8) * 4;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="${viewBox}"><path fill="#fff" d="M-9-9h999v999h-999z"/><path d="${path}"/></svg>`;
  // The product lets nobody draw SVG, in any process that loads its image engine.
  sharp.unblock({ operation: [LOAD_SVG] });
  const png = await sharp(Buffer.from(svg)).png().toBuffer();
  sharp.block({ operation: [LOAD_SVG] });
  const [found] = await readBarcodes(new Uint8Array(png), { formats: ["QRCode"] });
  return found;
}

describe("qrCode", () => {
  it("draws every size so that another program reads the text", async () => {
    for (let version = 1; version <= VERSION_MAX; version += 1) {
      const fullest = dataCodewords(version) - (version < 10 ? 2 : 3);
      const text = "https://passes.example/".repeat(40).slice(0, fullest);
      const found = await readBack(text);
      assert.deepEqual([found?.text, found?.ecLevel], [text, "M"], `version ${version}`);
      assert.equal(qrCode(text)?.size, sizeOf(version));
    }
  });

  it("draws any text, in UTF-8", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }), async (text) =>
        assert.deepEqual((await readBack(text))?.bytes, new Uint8Array(Buffer.from(text))),
      ),
      { numRuns: 40 },
    );
  });

  it("draws nothing for a text that is too long", () => {
    assert.ok(qrCode("x".repeat(666)) !== undefined);
    assert.equal(qrCode("x".repeat(667)), undefined);
  });
});
