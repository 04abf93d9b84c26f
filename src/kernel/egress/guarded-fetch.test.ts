import assert from "node:assert/strict";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { HOSTS_OF_THIS_MACHINE, startCanary } from "#test/support/canary.ts";
import { createEgressPolicy, type EgressPolicy } from "./egress-policy.ts";
import { createGuardedHttp, type GuardedHttpOptions } from "./guarded-fetch.ts";

const production = createEgressPolicy({ environment: "production", allowNetworks: [] });
const staging = createEgressPolicy({ environment: "staging", allowNetworks: [] });

function openGuard(t: TestContext, policy: EgressPolicy, options?: GuardedHttpOptions) {
  const http = createGuardedHttp(policy, options);
  t.after(() => http.close());
  return http;
}

async function listen(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function startSink(t: TestContext, handle: RequestListener) {
  const sink = { port: 0, connections: 0 };
  const server = createHttpServer(handle);
  server.on("connection", () => {
    sink.connections += 1;
  });
  t.after(() => server.closeAllConnections());
  sink.port = await listen(t, server);
  return sink;
}

describe("a call to this machine, in production", () => {
  it("is refused in every spelling, and nothing is ever sent", async (t) => {
    const canary = await startCanary(t);
    const http = openGuard(t, production);
    for (const host of HOSTS_OF_THIS_MACHINE) {
      for (const scheme of ["https", "http"]) {
        await assert.rejects(
          http.request(`${scheme}://${host}:${canary.port}/`),
          { name: "EgressError", code: "egress.refused" },
          `${scheme}://${host}`,
        );
      }
    }
    assert.equal(canary.visits(), 0);
  });

  const answers: Readonly<Record<string, readonly string[]>> = {
    "to loopback": ["127.0.0.1"],
    "to loopback of IPv6": ["::1"],
    "to a mapped address": ["::ffff:127.0.0.1"],
    "to an address behind NAT64": ["64:ff9b::7f00:1"],
    "to no address in particular": ["0.0.0.0"],
    "to an address with a zone": ["::1%lo"],
    "outside and inside": ["8.8.8.8", "127.0.0.1"],
    "inside and outside": ["127.0.0.1", "8.8.8.8"],
    "to metadata": ["169.254.169.254"],
    "to something else than an address": ["localhost"],
  };
  for (const [name, addresses] of Object.entries(answers)) {
    it(`is refused when a name leads ${name}, without saying where to`, async (t) => {
      const canary = await startCanary(t);
      const http = openGuard(t, production, { lookup: async () => addresses });

      const call = http.request(`https://receiver.example:${canary.port}/`);

      await assert.rejects(call, (error: Error & { code: string; reason: string }) => {
        assert.equal(error.code, "egress.refused");
        assert.equal(error.reason, "name-not-allowed");
        assert.equal(error.cause, undefined);
        for (const address of addresses) assert.ok(!error.message.includes(address));
        return true;
      });
      assert.equal(canary.visits(), 0);
    });
  }

  it("is refused when the connection turns out to have gone somewhere else", async (t) => {
    const canary = await startCanary(t);
    let judged = 0;
    const deceived: EgressPolicy = {
      checkUrl: (text) => staging.checkUrl(text),
      checkAddress: () => {
        judged += 1;
        return judged === 1 ? { ok: true } : { ok: false, reason: "address-loopback" };
      },
    };
    const http = openGuard(t, deceived, { lookup: async () => ["127.0.0.1"] });

    await assert.rejects(http.request(`http://receiver.example:${canary.port}/`), {
      code: "egress.refused",
      reason: "name-not-allowed",
    });
    assert.equal(judged, 2);
  });
});

describe("a call to this machine, in staging", () => {
  it("arrives, with all of the request and all of the answer", async (t) => {
    const seen: unknown[] = [];
    const sink = await startSink(t, async (request, response) => {
      const body: Buffer[] = [];
      for await (const chunk of request) body.push(chunk);
      const { host, "x-id": id, "accept-encoding": encoding } = request.headers;
      seen.push({ method: request.method, url: request.url, host, id, encoding });
      response.writeHead(201, { "x-answer": "yes" }).end(Buffer.concat(body));
    });
    const http = openGuard(t, staging);

    const answer = await http.request(`http://localhost.:${sink.port}/a?b=c#d`, {
      method: "POST",
      headers: { "X-Id": "7" },
      body: "héllo",
    });

    assert.equal(answer.status, 201);
    assert.equal(answer.headers["x-answer"], "yes");
    assert.equal(answer.body.toString(), "héllo");
    assert.equal(answer.bodyWasCut, false);
    assert.ok((answer.timing.connectMs ?? -1) >= 0);
    assert.ok(answer.timing.totalMs >= (answer.timing.connectMs ?? 0));
    const host = `localhost:${sink.port}`;
    assert.deepEqual(seen, [
      { method: "POST", url: "/a?b=c", host, id: "7", encoding: "identity" },
    ]);
  });

  it("arrives in any spelling of the address", async (t) => {
    const sink = await startSink(t, (_request, response) => response.end("here"));
    const http = openGuard(t, staging);
    for (const host of ["127.0.0.1", "127.1", "2130706433", "[::ffff:127.0.0.1]", "localhost"]) {
      const { body } = await http.request(`http://${host}:${sink.port}/`);
      assert.equal(body.toString(), "here", host);
    }
  });

  it("does not follow a redirect, which is an answer like any other", async (t) => {
    const canary = await startCanary(t);
    for (const status of [301, 302, 303, 307, 308]) {
      const location = `http://127.0.0.1:${canary.port}/`;
      const sink = await startSink(t, (_request, response) => {
        response.writeHead(status, { location }).end();
      });
      const http = openGuard(t, staging);

      const answer = await http.request(`http://127.0.0.1:${sink.port}/`, { method: "POST" });

      assert.equal(answer.status, status);
      assert.equal(answer.headers.location, location);
    }
    assert.equal(canary.visits(), 0);
  });

  it("is judged anew for each connection: a name that turns bad is refused", async (t) => {
    const sink = await startSink(t, (_request, response) => {
      response.writeHead(200, { connection: "close" }).end();
    });
    const answers = [["127.0.0.1"], ["10.0.0.1"]];
    const asked: string[] = [];
    const http = openGuard(t, staging, {
      lookup: async (hostname) => {
        asked.push(hostname);
        return answers.shift() ?? [];
      },
    });
    const url = `http://receiver.example:${sink.port}/`;

    assert.equal((await http.request(url)).status, 200);
    await assert.rejects(http.request(url), { code: "egress.refused", reason: "name-not-allowed" });
    await assert.rejects(http.request(url), { code: "egress.dns" });

    assert.deepEqual(asked, ["receiver.example", "receiver.example", "receiver.example"]);
    assert.equal(sink.connections, 1);
  });

  it("cannot speak for another host or meddle with the connection", async (t) => {
    const canary = await startCanary(t);
    const http = openGuard(t, staging);
    for (const name of ["Host", "connection", "Transfer-Encoding", "content-length", "upgrade"]) {
      await assert.rejects(
        http.request(`http://127.0.0.1:${canary.port}/`, { headers: { [name]: "1" } }),
        { code: "egress.refused", reason: "request-not-valid" },
      );
    }
    const headers = { "x-a": "b\r\nhost: c" };
    await assert.rejects(http.request(`http://127.0.0.1:${canary.port}/`, { headers }), {
      code: "egress.refused",
      reason: "request-not-valid",
    });
    assert.equal(canary.visits(), 0);
  });
});

describe("connections", () => {
  it("are used again without asking the name server, and opened up to a limit", async (t) => {
    const sink = await startSink(t, (_request, response) => response.end());
    let asked = 0;
    const http = openGuard(t, staging, {
      connectionsPerOriginMax: 4,
      lookup: async () => {
        asked += 1;
        return ["127.0.0.1"];
      },
    });
    const url = `http://receiver.example:${sink.port}/`;

    await http.request(url);
    // The pool takes a connection back one turn of the loop after the answer.
    await new Promise((done) => setImmediate(done));
    await new Promise((done) => setImmediate(done));
    const second = await http.request(url);
    assert.equal(second.timing.connectMs, undefined);
    assert.equal(sink.connections, 1);

    const answers = await Promise.all(Array.from({ length: 100 }, () => http.request(url)));

    assert.equal(answers.filter(({ timing }) => timing.connectMs !== undefined).length, 3);
    assert.equal(sink.connections, 4);
    assert.equal(asked, 4);
  });

  it("are replaced when they are old, so that a name that moved is followed", async (t) => {
    const sink = await startSink(t, (_request, response) => response.end());
    const http = openGuard(t, staging, { connectionAgeMsMax: 0 });
    const url = `http://127.0.0.1:${sink.port}/`;

    for (let calls = 1; calls <= 3; calls += 1) {
      assert.equal((await http.request(url)).status, 200);
      assert.equal(sink.connections, calls);
      await new Promise((done) => setImmediate(done));
    }
  });

  it("are as old as they are open, however long their origin is called", async (t) => {
    const sink = await startSink(t, (_request, response) => response.end());
    const ageMsMax = 1_000;
    const http = openGuard(t, staging, { connectionAgeMsMax: ageMsMax });
    const url = `http://127.0.0.1:${sink.port}/`;
    const call = () => Promise.all([http.request(url), http.request(url)]);

    await call();
    await new Promise((done) => setTimeout(done, ageMsMax + 20));
    await call();
    await new Promise((done) => setImmediate(done));
    await call();
    const opened = sink.connections;
    await new Promise((done) => setImmediate(done));
    await call();

    assert.equal(sink.connections, opened, "the new ones are used again");
  });

  it("serve requests beyond their number in the order of arrival", async (t) => {
    const order: string[] = [];
    const sink = await startSink(t, (request, response) => {
      order.push(request.url ?? "");
      response.end();
    });
    const http = openGuard(t, staging, { connectionsPerOriginMax: 1 });
    const paths = Array.from({ length: 20 }, (_, at) => `/${at}`);

    await Promise.all(paths.map((path) => http.request(`http://127.0.0.1:${sink.port}${path}`)));

    assert.deepEqual(order, paths);
  });

  it("that are idle make room for others; busy ones do not", async (t) => {
    const hold: (() => void)[] = [];
    const slow = await startSink(t, (_request, response) => {
      hold.push(() => response.end());
    });
    const quick = await startSink(t, (_request, response) => response.end());
    const http = openGuard(t, staging, { connectionsMax: 1 });

    await http.request(`http://127.0.0.1:${quick.port}/`);
    const waiting = http.request(`http://127.0.0.1:${slow.port}/`);
    while (hold.length === 0) await new Promise((done) => setTimeout(done, 5));
    await assert.rejects(http.request(`http://127.0.0.1:${quick.port}/`), { code: "egress.busy" });

    hold[0]?.();
    assert.equal((await waiting).status, 200);
    assert.equal((await http.request(`http://127.0.0.1:${quick.port}/`)).status, 200);
  });

  it("end when the guard is closed, with what is under way and what waits", async (t) => {
    const sink = await startSink(t, () => undefined);
    const http = createGuardedHttp(staging, { connectionsPerOriginMax: 1, connectionAgeMsMax: 0 });
    const url = `http://127.0.0.1:${sink.port}/`;
    const call = assert.rejects(http.request(url), { code: "egress.closed" });
    const waiting = assert.rejects(http.request(url), { code: "egress.closed" });
    while (sink.connections === 0) await new Promise((done) => setTimeout(done, 5));

    await http.close();

    await call;
    await waiting;
    await assert.rejects(http.request(url), { code: "egress.closed" });
  });
});
