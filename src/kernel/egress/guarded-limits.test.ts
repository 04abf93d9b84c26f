import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createServer as createTlsHttpServer } from "node:https";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { startWait } from "#test/support/slowness.ts";
import { createEgressPolicy } from "./egress-policy.ts";
import { createGuardedHttp, type GuardedHttpOptions } from "./guarded-fetch.ts";

const staging = createEgressPolicy({ environment: "staging", allowNetworks: [] });

function openGuard(t: TestContext, options?: GuardedHttpOptions) {
  const http = createGuardedHttp(staging, options);
  t.after(() => http.close());
  return http;
}

/** A server that sends any bytes after it got a request. */
async function startRaw(t: TestContext, answer: (socket: Socket) => void) {
  const raw = { url: "", open: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    raw.open += 1;
    socket.on("error", () => undefined);
    socket.on("close", () => {
      raw.open -= 1;
    });
    socket.once("data", () => answer(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  raw.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return raw;
}

async function until(isTrue: () => boolean): Promise<void> {
  const isOver = startWait(5_000);
  while (!isTrue()) {
    assert.ok(!isOver(), "it took too long");
    await new Promise((done) => setTimeout(done, 5));
  }
}

describe("an answer that does not come in time", () => {
  it("is given up when nothing comes at all", async (t) => {
    const raw = await startRaw(t, () => undefined);
    const http = openGuard(t);

    await assert.rejects(http.request(raw.url, { timeoutMs: 60 }), { code: "egress.timeout" });
    await until(() => raw.open === 0);
  });

  it("is given up when it trickles, in its head or in its body", async (t) => {
    for (const head of ["", "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n"]) {
      const raw = await startRaw(t, (socket) => {
        socket.write(head === "" ? "HTTP/1.1 200 OK\r\nx-a: " : head);
        const timer = setInterval(() => socket.write("a"), 10);
        socket.on("close", () => clearInterval(timer));
      });
      const http = openGuard(t);

      await assert.rejects(http.request(raw.url, { timeoutMs: 100 }), { code: "egress.timeout" });
      await until(() => raw.open === 0);
    }
  });

  it("is given up when interim answers go on for ever", async (t) => {
    const raw = await startRaw(t, (socket) => {
      const timer = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 10);
      socket.on("close", () => clearInterval(timer));
    });
    await assert.rejects(openGuard(t).request(raw.url, { timeoutMs: 100 }), {
      code: "egress.timeout",
    });
  });

  it("is given up while it waits for its turn, and never sent then", async (t) => {
    const sockets: Socket[] = [];
    const raw = await startRaw(t, (socket) => {
      sockets.push(socket);
    });
    const http = openGuard(t, { connectionsPerOriginMax: 1 });
    const first = http.request(raw.url);
    await until(() => sockets.length === 1);

    await assert.rejects(http.request(raw.url, { timeoutMs: 50 }), { code: "egress.timeout" });
    let isSentAgain = false;
    sockets[0]?.once("data", () => {
      isSentAgain = true;
    });
    sockets[0]?.write("HTTP/1.1 204 No Content\r\n\r\n");

    assert.equal((await first).status, 204);
    await new Promise((done) => setTimeout(done, 50));
    assert.equal(isSentAgain, false);
  });

  it("is given up when no connection comes about", async (t) => {
    const silent = createServer(() => undefined);
    await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
    t.after(() => silent.close());
    const { port } = silent.address() as AddressInfo;
    const http = openGuard(t, { connectTimeoutMs: 80 });

    await assert.rejects(http.request(`https://127.0.0.1:${port}/`), { code: "egress.timeout" });

    const lost = openGuard(t, { connectTimeoutMs: 80, lookup: () => new Promise(() => undefined) });
    await assert.rejects(lost.request("https://receiver.example/"), { code: "egress.timeout" });
  });
});

describe("a caller who loses interest", () => {
  it("gets the reason of the signal, and the connection is closed", async (t) => {
    const raw = await startRaw(t, () => undefined);
    const http = openGuard(t);
    const interest = new AbortController();
    const call = http.request(raw.url, { signal: interest.signal });
    await until(() => raw.open === 1);

    const reason = new Error("never mind");
    interest.abort(reason);

    await assert.rejects(call, reason);
    await until(() => raw.open === 0);
    await assert.rejects(http.request(raw.url, { signal: interest.signal }), reason);
  });
});

describe("an answer that is too much", () => {
  it("is cut, and the rest is not read", async (t) => {
    let sent = 0;
    const raw = await startRaw(t, (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const chunk = Buffer.alloc(65_536, "a");
      const more = () => {
        while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
      };
      socket.on("drain", more);
      more();
    });

    const answer = await openGuard(t).request(raw.url, { bodyBytesMax: 1_000 });

    assert.equal(answer.status, 200);
    assert.equal(answer.body.length, 1_000);
    assert.equal(answer.bodyWasCut, true);
    await until(() => raw.open === 0);
    assert.ok(sent < 50_000_000, `${sent} bytes were taken`);
  });

  it("is cut at 64 KiB unless told otherwise; an answer of just that size is whole", async (t) => {
    for (const [size, isCut] of [
      [65_536, false],
      [65_537, true],
    ] as const) {
      const raw = await startRaw(t, (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`);
        socket.write(Buffer.alloc(size));
      });
      const answer = await openGuard(t).request(raw.url);
      assert.equal(answer.body.length, 65_536);
      assert.equal(answer.bodyWasCut, isCut);
    }
  });

  it("is never unpacked", async (t) => {
    const packed = gzipSync(Buffer.alloc(10_000_000));
    const raw = await startRaw(t, (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n`);
      socket.end(Buffer.concat([Buffer.from(`content-length: ${packed.length}\r\n\r\n`), packed]));
    });
    const { body } = await openGuard(t).request(raw.url);
    assert.deepEqual(body, packed);
  });

  it("in its headers is refused", async (t) => {
    const raw = await startRaw(t, (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${`x-a: ${"b".repeat(1_000)}\r\n`.repeat(20)}\r\n`);
    });
    await assert.rejects(openGuard(t).request(raw.url), { code: "egress.protocol" });
  });
});

describe("an answer that is broken", () => {
  it("is a failed connection when it is reset, ended early or refused", async (t) => {
    for (const end of [
      (socket: Socket) => socket.resetAndDestroy(),
      (socket: Socket) => socket.end(),
      (socket: Socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"),
    ]) {
      const raw = await startRaw(t, end);
      await assert.rejects(openGuard(t).request(raw.url), {
        code: "egress.connect",
        detail: "ECONNRESET",
      });
    }
    const gone = createServer();
    await new Promise<void>((done) => gone.listen(0, "127.0.0.1", done));
    const { port } = gone.address() as AddressInfo;
    await new Promise((done) => gone.close(done));
    await assert.rejects(openGuard(t).request(`http://127.0.0.1:${port}/`), {
      code: "egress.connect",
      detail: "ECONNREFUSED",
    });
  });

  it("is a breach of protocol when it is not HTTP", async (t) => {
    for (const text of [
      "SSH-2.0-OpenSSH_9.9\r\n",
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    ]) {
      const raw = await startRaw(t, (socket) => socket.write(text));
      await assert.rejects(openGuard(t).request(raw.url, { timeoutMs: 5_000 }), (error: Error) => {
        assert.match((error as Error & { code: string }).code, /^egress\.(protocol|connect)$/);
        return true;
      });
    }
  });

  it("leaves nothing behind that the next call would meet", async (t) => {
    let count = 0;
    const raw = await startRaw(t, (socket) => {
      count += 1;
      if (count === 1) socket.resetAndDestroy();
      else socket.end("HTTP/1.1 204 No Content\r\n\r\n");
    });
    const http = openGuard(t);
    await assert.rejects(http.request(raw.url), { code: "egress.connect" });
    assert.equal((await http.request(raw.url)).status, 204);
  });
});

describe("TLS", () => {
  const NAME = "receiver.example";
  const pem = execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-keyout", "-", "-subj", `/CN=${NAME}`, "-addext", `subjectAltName=DNS:${NAME}`],
    ],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 20_000 },
  );
  const certificate = /-----BEGIN CERTIFICATE-----.+-----END CERTIFICATE-----/s.exec(pem)?.[0];

  async function startSecure(t: TestContext) {
    const names: unknown[] = [];
    const server = createTlsHttpServer({ key: pem, cert: pem }, (request, response) => {
      const { servername } = request.socket as Socket & { servername?: unknown };
      names.push(servername, request.headers.host);
      response.end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    return { port: (server.address() as AddressInfo).port, names };
  }
  const lookup = async () => ["127.0.0.1"];

  it("refuses a certificate that nobody trusted has signed", async (t) => {
    const { port, names } = await startSecure(t);
    await assert.rejects(openGuard(t, { lookup }).request(`https://${NAME}:${port}/`), {
      code: "egress.tls",
      detail: "DEPTH_ZERO_SELF_SIGNED_CERT",
    });
    assert.deepEqual(names, []);
  });

  it("is spoken with the name that was called, and with no other", async (t) => {
    const { port, names } = await startSecure(t);
    const http = openGuard(t, { lookup, certificateAuthorities: [certificate ?? ""] });

    assert.equal((await http.request(`https://${NAME}.:${port}/`)).status, 200);
    assert.deepEqual(names, [NAME, `${NAME}:${port}`]);

    for (const host of ["other.example", "127.0.0.1"]) {
      await assert.rejects(http.request(`https://${host}:${port}/`), {
        code: "egress.tls",
        detail: "ERR_TLS_CERT_ALTNAME_INVALID",
      });
    }
  });

  it("is not spoken with a server that does not speak it", async (t) => {
    const raw = await startRaw(t, (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    await assert.rejects(openGuard(t).request(raw.url.replace("http:", "https:")), {
      code: "egress.tls",
    });
  });
});
