import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PRODUCT_OPERATOR_KEY } from "#test/support/product.ts";
import { residentMibOf } from "#test/support/resident-memory.ts";
import { shareProduct } from "#test/support/share-product.ts";
import { startStopwatch } from "#test/support/slowness.ts";

const MIB = 1024 * 1024;
const SENDERS = 5;
const CHUNKS = 300_000;
const WATCH_MS = 5_000;
/** With one object per chunk, the growth was 400 MiB. */
const GROWTH_MIB_MAX = 120;
const LEFT_MIB_MAX = 80;
/** The limit for a whole request, on a machine that is also busy with sending. */
const WAIT_MS_MAX = 1_000;

/** Encodes a text as chunks of one byte. */
function cut(text: string): Buffer {
  return Buffer.from(
    text.replaceAll(/./gs, (letter) => `1\r\n${letter}\r\n`),
    "latin1",
  );
}

describe("bodies in chunks of one byte", () => {
  const product = shareProduct({ ROLES: "api" });

  before(async () => {
    const body = { files: { "tenant.yml": "name: First\n" } };
    await product().put("/api/tenants/first", { key: PRODUCT_OPERATOR_KEY, body });
    await sleep(500);
  });

  async function open(tenantId: string): Promise<Socket> {
    const { hostname, port } = new URL(product().url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    socket.write(
      `PUT /api/tenants/${tenantId} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nconnection: close\r\n` +
        `x-api-key: ${PRODUCT_OPERATOR_KEY}\r\ncontent-type: application/json\r\n` +
        "transfer-encoding: chunked\r\n\r\n",
    );
    return socket;
  }

  it("take memory for their bytes, give it back, and let the others have their turn", async () => {
    const idleMib = residentMibOf(product().pid);
    let growth = 0;
    const waits: number[] = [];
    const watch = setInterval(() => {
      growth = Math.max(growth, residentMibOf(product().pid) - idleMib);
    }, 20);
    const wire = cut(" ".repeat(CHUNKS));
    const sockets = await Promise.all(Array.from({ length: SENDERS }, () => open("first")));
    for (const socket of sockets) socket.write(wire);
    const until = performance.now() + WATCH_MS;
    while (performance.now() < until) {
      const elapsedMs = startStopwatch();
      await product().get("/api/version");
      waits.push(elapsedMs());
      await sleep(5);
    }
    clearInterval(watch);
    for (const socket of sockets) socket.destroy();

    assert.ok(growth < GROWTH_MIB_MAX, `grew by ${Math.round(growth)} MiB`);
    const longest = Math.max(...waits);
    assert.ok(longest < WAIT_MS_MAX, `others waited up to ${Math.round(longest)} ms`);
    const elapsedMs = startStopwatch();
    while (residentMibOf(product().pid) - idleMib > LEFT_MIB_MAX) {
      assert.ok(elapsedMs() < 10_000, "the memory was not given back");
      await sleep(100);
    }
  });

  it("201: of usual size or so large that it goes to disk, every byte arrives", async () => {
    const text = JSON.stringify({ files: { "tenant.yml": "name: Tiny\n" } });
    const padding = " ".repeat(MIB);
    for (const [tenantId, before] of [
      ["small", ""],
      ["large", `${MIB.toString(16)}\r\n${padding}\r\n`],
    ] as const) {
      const socket = await open(tenantId);
      socket.write(before);
      socket.write(cut(text + " ".repeat(50_000)));
      socket.write("0\r\n\r\n");
      const [head] = await once(socket, "data");
      socket.destroy();
      assert.match(String(head), /^HTTP\/1.1 201 /);
    }
  });
});
