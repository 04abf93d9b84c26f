import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import sharp from "sharp";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";
import { readApplePass } from "../../console/src/parts/pass-preview/apple-pass.ts";
import { drawBarcode } from "../../console/src/parts/pass-preview/draw-barcode.ts";
import { readGooglePass } from "../../console/src/parts/pass-preview/google-pass.ts";
import type { BarcodeFormat } from "../../console/src/parts/pass-preview/shapes.ts";
import { kindOf, pathAt, treeAt } from "../../console/src/templates/editor/completion.ts";

const wasm = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm");
prepareZXingModule({ overrides: { wasmBinary: readFileSync(wasm).buffer as ArrayBuffer } });

const LOAD_SVG = "VipsForeignLoadSvg";
const MARGIN = 40;

/** Draws what the page shows, and reads it with a decoder that is not ours. */
async function readBack(format: BarcodeFormat, text: string) {
  const svg = decodeURIComponent(drawBarcode(format, text).split(",", 2)[1] ?? "");
  // The product lets nobody draw SVG, in any process that loads its image engine.
  sharp.unblock({ operation: [LOAD_SVG] });
  const png = await sharp(Buffer.from(svg))
    .flatten({ background: "#fff" })
    .extend({ top: MARGIN, bottom: MARGIN, left: MARGIN, right: MARGIN, background: "#fff" })
    .png()
    .toBuffer();
  sharp.block({ operation: [LOAD_SVG] });
  const [found] = await readBarcodes(new Uint8Array(png));
  return found?.text;
}

describe("a barcode of the console", () => {
  const texts = ["ps_0VfQm3Ks00x7Rk2LwPq9Zt", "40012345", "https://passes.example/a?b=c&d=%20"];
  for (const format of ["qr", "pdf417", "aztec", "code128"] as const) {
    it(`is read as the very text that it was drawn from: ${format}`, async () => {
      for (const text of texts) assert.equal(await readBack(format, text), text);
    });
  }

  it("is read with letters of other languages", async () => {
    assert.equal(await readBack("qr", "Zoë · 東京"), "Zoë · 東京");
  });

  it("is refused if there is no room for the text", () => {
    assert.throws(() => drawBarcode("qr", "x".repeat(5_000)));
  });
});

describe("the preview of the console", () => {
  it("shows what a phone makes of pass.json: translations, dates, numbers and amounts", () => {
    const pass = {
      organizationName: "Café Lune",
      backgroundColor: "rgb(20, 32, 59)",
      barcodes: [{ format: "PKBarcodeFormatAztec", message: "7", altText: "No. 7" }],
      eventTicket: {
        headerFields: [{ key: "price", value: 12.5, currencyCode: "EUR" }],
        secondaryFields: [
          {
            key: "start",
            label: "Doors",
            value: "2027-06-15T20:30:00+02:00",
            dateStyle: "PKDateStyleShort",
            timeStyle: "PKDateStyleShort",
          },
          { key: "share", value: 0.25, numberStyle: "PKNumberStylePercent" },
        ],
      },
    };
    const strings = { fr: { Doors: "Portes", "Café Lune": "Le Café Lune" } };
    const shown = readApplePass({ pass, strings, images: [] }, "fr");
    assert.deepEqual([shown.style, shown.organization], ["eventTicket", "Le Café Lune"]);
    assert.deepEqual(shown.barcode, { format: "aztec", message: "7", text: "No. 7" });
    assert.match(shown.fields.header[0]?.text ?? "", /^12,50\s€$/u);
    const [start, share] = shown.fields.secondary;
    assert.deepEqual([start?.label, start?.text], ["Portes", "15/06/2027 20:30"]);
    assert.match(share?.text ?? "", /^25\s%$/u);
  });

  it("shows the rows that the Google class names, in the language of the holder", () => {
    const body = (value: string) => ({
      defaultValue: { language: "en", value },
      translatedValues: [{ language: "fr", value: `${value} (fr)` }],
    });
    const field = (key: string) => ({
      firstValue: { fields: [{ fieldPath: `object.textModulesData['${key}']` }] },
    });
    const google = {
      type: "generic",
      class: {
        classTemplateInfo: {
          cardTemplateOverride: {
            cardRowTemplateInfos: [{ twoItems: { startItem: field("a"), endItem: field("b") } }],
          },
        },
      },
      object: {
        header: body("Ada"),
        barcode: { type: "CODE_128", value: "9" },
        textModulesData: [
          { id: "a", header: "A", body: "1", localizedBody: body("1") },
          { id: "b", header: "B", body: "2" },
          { id: "c", header: "C", body: "3" },
        ],
      },
      images: [],
    };
    const shown = readGooglePass(google, "fr");
    assert.equal(shown.title, "Ada (fr)");
    assert.deepEqual(
      shown.rows.map((row) => row.map(({ text }) => text)),
      [["1 (fr)", "2"]],
    );
    assert.equal(shown.details.length, 3);
    assert.deepEqual(shown.barcode, { format: "code128", message: "9", text: "" });
  });
});

describe("the completion of the editor", () => {
  it("knows where a line stands, and which keys may stand there", () => {
    const above = ["kind: loyalty", "fields:", "  # the front", "  header:", "    - key: a", ""];
    assert.deepEqual(pathAt(above, 6), ["fields", "header", "-"]);
    assert.deepEqual(pathAt(above, 2), ["fields"]);
    assert.deepEqual(pathAt(above, 0), []);
    const kind = kindOf("server/passes/loyalty.yml");
    assert.ok(kind?.tree !== undefined);
    assert.ok(treeAt(kind.tree, [])?.keys?.kind?.values?.includes("loyalty"));
    const field = treeAt(kind.tree, ["fields", "header", "-"]);
    assert.ok(field?.keys?.value !== undefined);
    assert.equal(kindOf("server/passes/a/b.yml"), undefined);
    assert.ok(kindOf("tenant.yml")?.tree?.keys?.timeZone !== undefined);
  });
});
