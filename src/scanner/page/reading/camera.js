// The camera: picture after picture to the decoder, and each code once while it is in view.
import { createDecoder } from "./decoder.js";

const PAUSE_MS = 80;
const PROBLEM_PAUSE_MS = 1_000;
/**
 * A code counts as gone when it was looked for and not seen for this time, and may then be shown
 * again. A busy tablet that looks once in a while has not seen it go.
 */
const GONE_MS = 3_000;

/** Remembers the codes that are in view, so that a code is told of once and not at each picture. */
export class InView {
  #seen = new Map();

  /** Told after each look of what was seen, if anything. Whether it came into view just now. */
  look(data, now) {
    for (const [code, sight] of this.#seen) {
      if (sight.isMissed && now - sight.at > GONE_MS) this.#seen.delete(code);
      if (code !== data) sight.isMissed = true;
    }
    if (data === undefined) return false;
    const isNew = !this.#seen.has(data);
    this.#seen.set(data, { at: now, isMissed: false });
    return isNew;
  }
}

/** Why there is no picture, as a name of a text. */
export const CAMERA_PROBLEMS = {
  NotAllowedError: "cameraDenied",
  SecurityError: "cameraDenied",
  NotFoundError: "cameraMissing",
  OverconstrainedError: "cameraMissing",
};

export class Camera {
  #video;
  #onCode;
  #onEnd;
  #stream;
  #decode;
  #lock;
  #run = 0;
  #inView;

  /** `onCode` is told of each code, `onEnd` when somebody else took the camera away. */
  constructor(video, { onCode, onEnd }) {
    this.#video = video;
    this.#onCode = onCode;
    this.#onEnd = onEnd;
  }

  get isRunning() {
    return this.#stream !== undefined;
  }

  /** Throws the name of a text that says why not. */
  async start(facingMode) {
    this.stop();
    if (navigator.mediaDevices?.getUserMedia === undefined) {
      throw isSecureContext ? "cameraMissing" : "cameraInsecure";
    }
    this.#run += 1;
    const run = this.#run;
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({
        audio: false,
        video: { facingMode, width: { ideal: 1_280 }, height: { ideal: 720 } },
      });
    } catch (error) {
      throw CAMERA_PROBLEMS[error.name] ?? "cameraBusy";
    }
    if (run !== this.#run) return stopTracks(stream);
    this.#stream = stream;
    this.#inView = new InView();
    this.#video.srcObject = stream;
    this.#track()?.addEventListener("ended", () => {
      if (run !== this.#run) return;
      this.stop();
      this.#onEnd();
    });
    await this.#video.play().catch(() => {});
    void this.#keepAwake();
    void this.#look(run);
  }

  stop() {
    this.#run += 1;
    stopTracks(this.#stream);
    this.#stream = undefined;
    this.#video.srcObject = null;
    this.#lock?.release().catch(() => {});
    this.#lock = undefined;
  }

  get hasTorch() {
    return this.#track()?.getCapabilities?.().torch === true;
  }

  async setTorch(isOn) {
    await this.#track()?.applyConstraints({ advanced: [{ torch: isOn }] });
  }

  #track() {
    return this.#stream?.getVideoTracks()[0];
  }

  async #look(run) {
    this.#decode ??= await createDecoder();
    while (run === this.#run) {
      let pause = PAUSE_MS;
      try {
        const found = await this.#decode(this.#video);
        if (run !== this.#run) return;
        if (this.#inView.look(found?.data, performance.now())) this.#onCode(found);
      } catch {
        pause = PROBLEM_PAUSE_MS;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /** A scanner that dims after half a minute is of no use at a gate. */
  async #keepAwake() {
    try {
      this.#lock = await navigator.wakeLock?.request("screen");
    } catch {
      // A low battery forbids it.
    }
  }
}

function stopTracks(stream) {
  for (const track of stream?.getTracks() ?? []) track.stop();
}
