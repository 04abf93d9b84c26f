import { readFileSync } from "node:fs";

/*
 * How much slower this machine is than a quiet one. Limits of time are meant for a quiet machine. Where other guests of
 * the same host take a part of the processors, everything takes longer. So tests excuse the time that was lost in that
 * way, and no more: a wait for a timer takes as long on a slow machine, and is not excused where nothing was lost.
 */

/** The fixed work and its time on the machine for which the limits were chosen. */
const ROUNDS = 2_000_000;
const USUAL_MS = 2.7;
/** One of several tries is hardly ever interrupted. */
const TRIES = 5;
const MEASURED_EVERY_MS = 2_000;
/** Linux counts the time of processors in hundredths of a second. */
const TICK_MS = 10;
/** So that a machine that stands still for a moment does not excuse everything. */
const SLOWNESS_MAX = 10;

/** Starts a clock of the time that a quiet machine would have needed, in milliseconds. For upper limits only. */
export function startStopwatch(): () => number {
  const before = readProcessors();
  const startedAt = performance.now();
  return () => {
    const elapsedMs = performance.now() - startedAt;
    const now = readProcessors();
    const [workedMs, stolenMs] = [now.workedMs - before.workedMs, now.stolenMs - before.stolenMs];
    const speed = measureSpeed();
    const stolenFactor = (Math.max(TICK_MS, workedMs) + stolenMs) / Math.max(TICK_MS, workedMs);
    const lostMs = stolenMs + workedMs * (1 - 1 / speed);
    const slowness = Math.min(SLOWNESS_MAX, stolenFactor * speed);
    return Math.max(elapsedMs / slowness, elapsedMs - lostMs);
  };
}

/** Starts to wait for as long as that is on a quiet machine. The result tells whether the time is over. */
export function startWait(waitMs: number): () => boolean {
  const startedAt = performance.now();
  const quietMs = startStopwatch();
  // Waits ask often, and the stopwatch costs more than the clock.
  return () => performance.now() - startedAt > waitMs && quietMs() > waitMs;
}

/** Begins to watch; the result tells the slowness since then, which is at least 1, for limits that it multiplies. */
export function watchSlowness(): () => number {
  const quietMs = startStopwatch();
  const startedAt = performance.now();
  return () => {
    const elapsedMs = performance.now() - startedAt;
    return Math.max(1, elapsedMs / quietMs());
  };
}

/**
 * Starts a clock of the processor time of this process. Neither other programs nor other guests of the host count;
 * these can only make the processor itself slower, because they share its caches and its parts.
 */
export function startProcessorClock(): () => number {
  const start = process.cpuUsage();
  const slowness = watchProcessor();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000 / slowness();
  };
}

/** Begins to watch; the result tells by how much more processor time the same work takes here, at least 1. */
export function watchProcessor(): () => number {
  const before = measureSpeed();
  return () => Math.max(before, measureSpeed());
}

/** Of all processors together: the time they worked, and the time that the host gave to others. */
function readProcessors(): { workedMs: number; stolenMs: number } {
  let text = "";
  try {
    text = readFileSync("/proc/stat", "utf8");
  } catch {
    // Other systems than Linux do not tell.
  }
  const [line = ""] = text.split("\n", 1);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map((ticks) => Number(ticks) * TICK_MS);
  return { workedMs: user + nice + system + irq + softirq, stolenMs: stolen };
}

let measuredAt = Number.NEGATIVE_INFINITY;
let speedFactor = 1;

/** How many times as long computing takes as usual. Not at every call, because tests call it in loops. */
function measureSpeed(): number {
  if (performance.now() - measuredAt < MEASURED_EVERY_MS) return speedFactor;
  let bestMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const startedAt = performance.now();
    compute();
    bestMs = Math.min(bestMs, performance.now() - startedAt);
  }
  measuredAt = performance.now();
  speedFactor = Math.max(1, bestMs / USUAL_MS);
  return speedFactor;
}

let sink = 1;
function compute(): void {
  let number = sink;
  for (let round = 0; round < ROUNDS; round += 1) {
    number = (Math.imul(number, 1_664_525) + 1_013_904_223) | 0;
  }
  sink = number;
}
