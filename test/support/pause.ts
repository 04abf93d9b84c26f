import { setTimeout as sleep } from "node:timers/promises";

const PAUSE_MS_MIN = 10;
const PAUSE_MS_MAX = 50;
/** A pause is as long as this share of what was waited for so far. */
const SHARE = 0.1;

/**
 * Begins to wait for something, and returns the pause between two looks at it. The longer it takes, the
 * longer the pauses: whoever looks all the time takes the processor from what they wait for.
 */
export function beginToWait(): () => Promise<void> {
  const startedAt = performance.now();
  return () => {
    const ms = (performance.now() - startedAt) * SHARE;
    return sleep(Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, ms)));
  };
}
