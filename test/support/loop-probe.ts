import { createServer } from "node:http";

/*
 * Loaded into a product before its own code: tells for how long its event loop was busy at the most
 * between two looks at the clock, which is how long everyone else had to wait. By the processor time
 * of the loop's own thread: what other programs take from it is not its doing, and not the test's.
 */

const LOOK_EVERY_MS = 2;

let longestMs = 0;
let before = process.threadCpuUsage();

setInterval(() => {
  const now = process.threadCpuUsage();
  const busyMs = (now.user - before.user + now.system - before.system) / 1_000;
  before = now;
  longestMs = Math.max(longestMs, busyMs);
}, LOOK_EVERY_MS).unref();

// Every answer begins a new count.
createServer((_request, response) => {
  response.end(String(longestMs));
  longestMs = 0;
})
  .listen(Number(process.env.LOOP_PROBE_PORT), "127.0.0.1")
  .unref();
