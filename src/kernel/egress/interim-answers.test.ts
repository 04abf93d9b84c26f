import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { createEgressPolicy } from "./egress-policy.ts";
import { createGuardedHttp } from "./guarded-fetch.ts";

const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const HINTS = "HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n";
const ANSWER = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nDone";

/** Answers every request of every connection with the same bytes. */
async function startReceiver(t: TestContext, answer: (socket: Socket) => Promise<void> | void) {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", () => void answer(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const http = createGuardedHttp(
    createEgressPolicy({ environment: "staging", allowNetworks: [] }),
    { connectionsPerOriginMax: 1 },
  );
  t.after(() => http.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const post = () => http.request(url, { method: "POST", body: "{}", timeoutMs: 5_000 });
  return { post, connections: () => sockets.size };
}

describe("a receiver that sends interim answers unasked", () => {
  for (const count of [1, 2, 50]) {
    it(`is understood after ${count} times 100 Continue, on one connection`, async (t) => {
      const receiver = await startReceiver(t, (socket) => {
        socket.write(CONTINUE.repeat(count) + ANSWER);
      });
      for (let round = 0; round < 3; round += 1) {
        const { status, body } = await receiver.post();
        assert.deepEqual([status, String(body)], [200, "Done"]);
      }
      assert.equal(receiver.connections(), 1);
    });
  }

  it("property: is understood whatever pieces its bytes come in", async (t) => {
    let pieces: string[] = [];
    const receiver = await startReceiver(t, async (socket) => {
      for (const piece of pieces) {
        socket.write(piece);
        await setImmediate();
      }
    });
    const interim = fc.array(fc.constantFrom(CONTINUE, HINTS), { maxLength: 4 });
    const cuts = fc.array(fc.nat(120), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(interim, cuts, async (before, places) => {
        const text = before.join("") + ANSWER;
        const at = [0, ...places.map((place) => place % text.length), text.length];
        at.sort((a, b) => a - b);
        pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
        pieces = pieces.filter((piece) => piece !== "");
        const { status, body } = await receiver.post();
        assert.deepEqual([status, String(body)], [200, "Done"]);
      }),
      { numRuns: 50 },
    );
  });

  it("keeps a body that reads like an interim answer", async (t) => {
    const receiver = await startReceiver(t, async (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${CONTINUE.length}\r\n\r\n`);
      await setImmediate();
      socket.write(CONTINUE);
    });
    assert.equal(String((await receiver.post()).body), CONTINUE);
  });

  it("fails when they are longer than headers may be", async (t) => {
    const receiver = await startReceiver(t, (socket) => {
      socket.write(CONTINUE.repeat(1_000) + ANSWER);
    });
    await assert.rejects(receiver.post(), { name: "EgressError" });
  });
});
