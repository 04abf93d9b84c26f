// Reads barcodes beside the page, so that drawing and buttons never wait for it.
import { prepareZXingModule, readBarcodes } from "../zxing/reader/index.js";

const wasm = new URL("../zxing/zxing_reader.wasm", import.meta.url).href;
prepareZXingModule({ overrides: { locateFile: () => wasm } });

const TYPES = {
  QRCode: "qrcode",
  PDF417: "pdf417",
  Aztec: "aztec",
  Code128: "code128",
  EAN13: "ean13",
  DataMatrix: "datamatrix",
};
const OPTIONS = {
  formats: Object.keys(TYPES),
  maxNumberOfSymbols: 1,
  tryHarder: true,
  // As it is in the code: other modes make it easier to read for people.
  textMode: "Plain",
};

self.addEventListener("message", async ({ data: picture }) => {
  try {
    const [found] = await readBarcodes(picture, OPTIONS);
    self.postMessage(
      found === undefined || !found.isValid
        ? {}
        : { data: found.text, type: TYPES[found.symbology] ?? TYPES[found.format] ?? "qrcode" },
    );
  } catch (error) {
    self.postMessage({ problem: String(error) });
  }
});
