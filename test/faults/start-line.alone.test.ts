import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { it } from "node:test";
import { startStopwatch } from "#test/support/slowness.ts";
import { ROOT } from "#test/support/sources.ts";

const FIRST_LINE_MS_MAX = 300;

it("a start says within 300 milliseconds that it goes on", async (t) => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stopwatch = startStopwatch();
  // The port is in use, so the start ends by itself and creates nothing.
  const child = spawn(process.execPath, ["bin/billfold.mjs", "start"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "ignore"],
    env: { PORT: String(port) },
  });
  const exit = once(child, "close");
  t.after(async () => {
    child.kill("SIGKILL");
    await exit;
    server.close();
  });
  const [chunk] = await once(child.stdout, "data");
  const elapsedMs = stopwatch();
  t.diagnostic(`first line after ${Math.round(elapsedMs)} ms`);

  assert.match(String(chunk), /^Billfold \S+ is starting\.\n$/);
  assert.ok(elapsedMs < FIRST_LINE_MS_MAX, `${elapsedMs} ms`);
  assert.deepEqual(await exit, [1, null]);
});
