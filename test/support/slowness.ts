import { readFileSync } from "node:fs";

/*
 * How much slower this machine is than a quiet one. Limits of time are meant for a quiet machine. Where other guests of
 * the same host take a part of the processors, everything takes longer, and the processor time of a process grows as
 * well. So tests divide what they measured by the slowness of the machine meanwhile.
 */

/** The fixed work and its time on the machine for which the limits were chosen. */
const ROUNDS = 2_000_000;
const USUAL_MS = 2.7;
/** One of several tries is hardly ever interrupted. */
const TRIES = 5;
const MEASURED_EVERY_MS = 2_000;
/** So that a machine that stands still for a moment does not excuse everything. */
const SLOWNESS_MAX = 20;

/** Begins to watch; the result tells the slowness since then, which is at least 1. */
export function watchSlowness(): () => number {
  const before = readProcessors();
  return () => {
    const now = readProcessors();
    const [worked, stolen] = [now.worked - before.worked, now.stolen - before.stolen];
    const stolenFactor = stolen <= 0 ? 1 : (Math.max(1, worked) + stolen) / Math.max(1, worked);
    return Math.min(SLOWNESS_MAX, stolenFactor * measureSpeed());
  };
}

/** Starts a clock of the time that a quiet machine would have needed, in milliseconds. For upper limits only. */
export function startStopwatch(): () => number {
  const startedAt = performance.now();
  const slowness = watchSlowness();
  return () => {
    const elapsedMs = performance.now() - startedAt;
    return elapsedMs / slowness();
  };
}

/** The same for the processor time of this process: what other programs take from it makes no difference. */
export function startProcessorClock(): () => number {
  const start = process.cpuUsage();
  const slowness = watchSlowness();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000 / slowness();
  };
}

/** Of all processors together, in units of the system: the time they worked, and the time that the host kept. */
function readProcessors(): { worked: number; stolen: number } {
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
    .map(Number);
  return { worked: user + nice + system + irq + softirq, stolen };
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
