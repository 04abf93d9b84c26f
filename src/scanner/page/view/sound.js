// Sounds that can be told apart without looking: up for yes, low and twice for no.

const TONES = {
  accepted: [
    { at: 0, hertz: 880, seconds: 0.09 },
    { at: 0.1, hertz: 1318.5, seconds: 0.2 },
  ],
  rejected: [
    { at: 0, hertz: 196, seconds: 0.2, shape: "square" },
    { at: 0.26, hertz: 155.6, seconds: 0.34, shape: "square" },
  ],
  unchecked: [{ at: 0, hertz: 523.3, seconds: 0.28, shape: "triangle" }],
};
const VIBRATIONS = { accepted: [60], rejected: [140, 80, 140], unchecked: [60, 60, 60] };
const VOLUME = 0.28;
const EDGE_SECONDS = 0.012;

let context;

/** Browsers keep pages silent until a person touches them, so this is called then. */
export function wakeSound() {
  context ??= globalThis.AudioContext === undefined ? undefined : new AudioContext();
  if (context?.state === "suspended") context.resume().catch(() => {});
}

export function playVerdict(verdict, { sound, vibration }) {
  if (vibration) navigator.vibrate?.(VIBRATIONS[verdict]);
  if (!sound || context?.state !== "running") return;
  for (const tone of TONES[verdict]) playTone(tone);
}

function playTone({ at, hertz, seconds, shape = "sine" }) {
  const start = context.currentTime + at;
  const end = start + seconds;
  const oscillator = new OscillatorNode(context, { type: shape, frequency: hertz });
  // Without soft edges, speakers crackle.
  const gain = new GainNode(context, { gain: 0 });
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(VOLUME, start + EDGE_SECONDS);
  gain.gain.setValueAtTime(VOLUME, end - EDGE_SECONDS);
  gain.gain.linearRampToValueAtTime(0, end);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(start);
  oscillator.stop(end);
}
