import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  runStream,
  type StreamHandle,
  type StreamMessage,
  type StreamSource,
} from "./event-stream.ts";

const LONG_MS = 60_000;
const TIMES = { heartbeatMs: LONG_MS, drainMs: LONG_MS, lifetimeMs: LONG_MS, checkMs: LONG_MS };

type Options = Partial<typeof TIMES> & { isAllowed?: () => Promise<boolean> };

/**
 * Opens a stream over a real socket: gives the answer as it arrives, and the end as the server sees
 * it.
 */
async function open(t: TestContext, source: StreamSource, options: Options = {}) {
  const { isAllowed = async () => true, ...times } = options;
  const opened = Promise.withResolvers<StreamHandle>();
  const ended = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    runStream(response, {
      source,
      times: { ...TIMES, ...times },
      isAllowed,
      onOpen: opened.resolve,
    }).then(ended.resolve, ended.reject);
  });
  // Tests that expect the stream to fail await this promise later.
  ended.promise.catch(() => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const call = request({ port, host: "127.0.0.1" }).on("error", () => undefined);
  call.end();
  const [response] = (await once(call, "response")) as [IncomingMessage];
  response.setEncoding("utf8").on("error", () => undefined);
  const { end, check } = await opened.promise;
  return { response, leave: () => call.destroy(), end, check, ended: ended.promise };
}

/** A source that waits for the signal and notes that it came. */
function quiet(): { source: StreamSource; released: () => boolean } {
  let isReleased = false;
  async function* source(signal: AbortSignal): AsyncGenerator<StreamMessage[]> {
    try {
      yield [{ id: "1" }];
      if (!signal.aborted) await once(signal, "abort");
    } finally {
      isReleased = true;
    }
  }
  return { source, released: () => isReleased };
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of response) text += part;
  return text;
}

async function until(response: IncomingMessage, pattern: RegExp): Promise<void> {
  let text = "";
  for await (const part of response.iterator({ destroyOnReturn: false })) {
    text += part;
    if (pattern.test(text)) return;
  }
  assert.fail(`It ended with ${text}`);
}

describe("a stream of events", () => {
  it("says when to come back, gives each message, and ends with its source", async (t) => {
    const { response, ended } = await open(t, async function* () {
      yield [{ id: "1" }];
      yield [
        { id: "2", event: "thing.made", data: '{"n":1}' },
        { id: "3", event: "thing.made", data: '{"n":2}' },
      ];
    });
    assert.equal(
      await textOf(response),
      'retry: 1000\n\nid: 1\n\nid: 2\nevent: thing.made\ndata: {"n":1}\n\nid: 3\nevent: thing.made\ndata: {"n":2}\n\n',
    );
    await ended;
  });

  it("keeps a silent connection alive", async (t) => {
    const { source } = quiet();
    const { response } = await open(t, source, { heartbeatMs: 20 });
    await until(response, /(^|\n):\n\n:\n\n/);
  });

  it("lets go of everything when the client leaves", async (t) => {
    const { source, released } = quiet();
    const { response, leave, ended } = await open(t, source);
    await until(response, /id: 1/);
    leave();
    await ended;
    assert.ok(released());
  });

  it("does not begin for a client that has left already", async (t) => {
    const { source, released } = quiet();
    const ended = Promise.withResolvers<void>();
    const server = createServer((_request, response) => {
      response.on("close", () => {
        const options = {
          source,
          times: TIMES,
          isAllowed: async () => true,
          onOpen: () => undefined,
        };
        runStream(response, options).then(ended.resolve, ended.reject);
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const call = request({ port, host: "127.0.0.1" }).on("error", () => undefined);
    server.once("request", () => call.destroy());
    call.end();
    await ended.promise;
    assert.ok(released());
  });

  it("ends in good order when it is told to, and after its time", async (t) => {
    for (const lifetimeMs of [LONG_MS, 50]) {
      const { source, released } = quiet();
      const { response, end, ended } = await open(t, source, { lifetimeMs });
      if (lifetimeMs === LONG_MS) end();
      assert.match(await textOf(response), /^retry: 1000\n\n/);
      assert.equal(response.complete, true);
      await ended;
      assert.ok(released());
    }
  });

  it("ends when the right to listen is lost", async (t) => {
    const { source } = quiet();
    let asked = 0;
    const isAllowed = async () => {
      asked += 1;
      return asked < 3;
    };
    const { response, ended } = await open(t, source, { checkMs: 10, isAllowed });
    await textOf(response);
    await ended;
    assert.equal(asked, 3);
  });

  it("tells nothing once the right is lost, however soon it comes", async (t) => {
    let isAllowed = true;
    const { response, ended } = await open(
      t,
      async function* () {
        yield [{ id: "1", event: "before", data: "1" }];
        isAllowed = false;
        yield [{ id: "2", event: "after", data: "2" }];
      },
      { isAllowed: async () => isAllowed },
    );
    const text = await textOf(response);
    assert.match(text, /event: before/);
    assert.doesNotMatch(text, /event: after/);
    assert.equal(response.complete, true);
    await ended;
  });

  it("ends at once when it is told to look and the right is lost, whatever its source does", async (t) => {
    let isAllowed = true;
    const { promise: never, resolve } = Promise.withResolvers<void>();
    const { response, check, ended } = await open(
      t,
      async function* () {
        yield [{ id: "1" }];
        await never;
      },
      { isAllowed: async () => isAllowed },
    );
    await until(response, /id: 1/);
    check();
    isAllowed = false;
    check();
    await textOf(response);
    assert.equal(response.complete, true);
    resolve();
    await ended;
  });

  it("takes a failure to find out for a right that is lost", async (t) => {
    const isAllowed = () => Promise.reject(new Error("broken"));
    const { response } = await open(t, quiet().source, { isAllowed });
    assert.equal(await textOf(response), "retry: 1000\n\n");
  });

  it("ends when its source fails, and says so", async (t) => {
    const { response, ended } = await open(t, async function* () {
      yield [{ id: "1" }];
      throw new Error("lost");
    });
    await Promise.all([assert.rejects(ended, /lost/), textOf(response)]);
  });

  /** A source that gives messages as fast as they are taken, and counts them. */
  function flood(): { source: StreamSource; given: () => number } {
    let given = 0;
    const data = "x".repeat(100_000);
    async function* source(): AsyncGenerator<StreamMessage[]> {
      for (; ; given += 1) {
        yield [{ id: String(given), event: "e", data }];
        await sleep(0);
      }
    }
    return { source, given: () => given };
  }

  /** The client does not read, so in the end all buffers on the way are full. */
  async function untilFull(given: () => number): Promise<number> {
    for (let last = -1; last !== given(); await sleep(300)) last = given();
    return given();
  }

  it("asks for no more while the socket is full, and goes on when it is read", async (t) => {
    const { source, given } = flood();
    const { response } = await open(t, source);
    const full = await untilFull(given);
    assert.ok(full < 1_000, String(full));
    response.resume();
    for (const deadline = Date.now() + 20_000; given() < full + 200; await sleep(10)) {
      assert.ok(Date.now() < deadline);
    }
  });

  it("cuts a client that reads nothing", async (t) => {
    const { source } = flood();
    const { response, ended } = await open(t, source, { drainMs: 200 });
    await ended;
    const closed = new Promise((resolve) => response.on("close", resolve));
    response.resume();
    await closed;
    assert.equal(response.complete, false);
  });

  it("does not wait for ever for a client that reads nothing after the end", async (t) => {
    const { source, given } = flood();
    const { end, ended } = await open(t, source, { drainMs: 3_000 });
    await untilFull(given);
    end();
    await ended;
  });
});
