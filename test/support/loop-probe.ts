import { createServer } from "node:http";
import { readStolenMs } from "./slowness.ts";

/*
 * Loaded into a product before its own code: tells for how long its event loop was busy at the most
 * between two looks at the clock, which is how long everyone else had to wait. By the processor time
 * of the loop's own thread: what other programs take from it is not its doing, and not the test's. Processor
 * time includes what the host of a virtual machine took meanwhile, so that is left out.
 */

const LOOK_EVERY_MS = 2;
/** Reading it costs more than a look, and a look that takes long needs it from just before. */
const READ_STOLEN_EVERY_MS = 20;

let longestMs = 0;
let before = process.threadCpuUsage();
let stolenBefore = readStolenMs();
let stolenReadAt = performance.now();

setInterval(() => {
  const now = process.threadCpuUsage();
  const busyMs = (now.user - before.user + now.system - before.system) / 1_000;
  before = now;
  const isLong = busyMs > longestMs;
  if (!isLong && performance.now() - stolenReadAt < READ_STOLEN_EVERY_MS) return;
  const stolen = readStolenMs();
  if (isLong) longestMs = Math.max(longestMs, busyMs - (stolen - stolenBefore));
  stolenBefore = stolen;
  stolenReadAt = performance.now();
}, LOOK_EVERY_MS).unref();

// Every answer begins a new count.
createServer((_request, response) => {
  response.end(String(longestMs));
  longestMs = 0;
})
  .listen(Number(process.env.LOOP_PROBE_PORT), "127.0.0.1")
  .unref();
