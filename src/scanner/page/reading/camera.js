// The camera: picture after picture to the decoder, and each code once while it is in view.
import { createDecoder } from "./decoder.js";

const PAUSE_MS = 80;
const PROBLEM_PAUSE_MS = 1_000;
/** A code counts as gone when it was not seen for this time, and may then be shown again. */
const GONE_MS = 3_000;

/** Remembers the codes that are in view, so that a code is told of once and not at each picture. */
export class InView {
  #seenAt = new Map();

  /** Whether the code came into view just now. */
  see(data, now) {
    for (const [code, at] of this.#seenAt) {
      if (now - at > GONE_MS) this.#seenAt.delete(code);
    }
    const isNew = !this.#seenAt.has(data);
    this.#seenAt.set(data, now);
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
  #stream;
  #decode;
  #lock;
  #run = 0;
  #inView = new InView();

  constructor(video, onCode) {
    this.#video = video;
    this.#onCode = onCode;
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
    this.#video.srcObject = stream;
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
        if (found !== undefined && this.#inView.see(found.data, performance.now())) {
          this.#onCode(found);
        }
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
