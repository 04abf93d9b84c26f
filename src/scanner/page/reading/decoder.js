// Finds a barcode in a picture of the camera: by the browser itself where it can, else by zxing.

const TYPES = {
  qr_code: "qrcode",
  pdf417: "pdf417",
  aztec: "aztec",
  code_128: "code128",
  ean_13: "ean13",
  data_matrix: "datamatrix",
};
/** The codes that wallets show. A browser that lacks one of them is of no use. */
const NEEDED = ["qr_code", "pdf417", "aztec", "code_128"];
/** Enough for dense codes at arm's length; more takes longer and finds no more. */
const SIDE_PIXELS_MAX = 1_080;
const ANSWER_TIMEOUT_MS = 20_000;

/** A function that takes a video and gives `{data, type}`, or undefined. */
export async function createDecoder() {
  return (await createNative()) ?? createThreaded();
}

async function createNative() {
  try {
    const formats = await globalThis.BarcodeDetector?.getSupportedFormats();
    if (formats === undefined || !NEEDED.every((format) => formats.includes(format))) return;
    const known = formats.filter((format) => format in TYPES);
    const detector = new globalThis.BarcodeDetector({ formats: known });
    return async (video) => {
      const [found] = await detector.detect(video);
      if (found === undefined) return undefined;
      return { data: found.rawValue, type: TYPES[found.format] };
    };
  } catch {
    // Some browsers have the name and nothing behind it.
    return undefined;
  }
}

function createThreaded() {
  let thread;
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true });
  return async (video) => {
    thread ??= new Worker(new URL("decoder-thread.js", import.meta.url), { type: "module" });
    const picture = draw(canvas, context, video);
    if (picture === undefined) return undefined;
    try {
      const { data, type, problem } = await ask(thread, picture);
      if (problem !== undefined) throw new Error(problem);
      return data === undefined ? undefined : { data, type };
    } catch (error) {
      // The next picture starts another one.
      thread.terminate();
      thread = undefined;
      throw error;
    }
  };
}

/** The middle of the picture, which is what the frame on the page shows. */
function draw(canvas, context, video) {
  const { videoWidth: width, videoHeight: height } = video;
  if (width === 0 || height === 0) return undefined;
  const scale = Math.min(1, SIDE_PIXELS_MAX / Math.max(width, height));
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  context.drawImage(video, 0, 0, canvas.width, canvas.height);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}

function ask(thread, picture) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("No answer.")), ANSWER_TIMEOUT_MS);
    thread.onmessage = ({ data }) => {
      clearTimeout(timer);
      resolve(data);
    };
    thread.onerror = (event) => {
      clearTimeout(timer);
      reject(new Error(event.message));
    };
    thread.postMessage(picture, [picture.data.buffer]);
  });
}
