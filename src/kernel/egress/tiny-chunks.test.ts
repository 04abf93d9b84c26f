import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createEgressPolicy } from "./egress-policy.ts";
import { createGuardedHttp } from "./guarded-fetch.ts";

const MIB = 1024 * 1024;
const REQUESTS = 10;
const BODY_BYTES = 60_000;
const HELD_MIB_MAX = 10;
const staging = createEgressPolicy({ environment: "staging", allowNetworks: [] });

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function heldMib(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MIB;
}

/** Answers in chunks of one byte, without the chunk that ends the answer. */
async function startTrickling(t: TestContext, body: string) {
  const sockets = new Set<Socket>();
  const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
  const wire = Buffer.from(head + body.replaceAll(/./g, "1\r\n$&\r\n"));
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => socket.write(wire));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, sockets };
}

describe("answers in chunks of one byte", () => {
  it("are whole, and take memory for their bytes and not for their chunks", async (t) => {
    const body = Array.from({ length: BODY_BYTES }, (_, at) => at % 10).join("");
    const { url, sockets } = await startTrickling(t, body);
    const http = createGuardedHttp(staging);
    t.after(() => http.close());
    const before = heldMib();
    const answers = Array.from({ length: REQUESTS }, () => http.request(url));
    const isSent = ({ bytesWritten, writableLength }: Socket) =>
      bytesWritten > BODY_BYTES && writableLength === 0;
    while (sockets.size < REQUESTS || ![...sockets].every(isSent)) await sleep(20);
    // Waits for the bytes that are still under way between the two sockets.
    await sleep(500);
    const held = heldMib() - before;
    for (const socket of sockets) socket.write("0\r\n\r\n");

    for (const answer of await Promise.all(answers)) {
      assert.equal(answer.body.toString(), body);
      assert.equal(answer.bodyWasCut, false);
    }
    assert.ok(held < HELD_MIB_MAX, `${Math.round(held)} MiB are held`);
  });
});
