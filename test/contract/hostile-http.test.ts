import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { assertProblem, shareHostedApi } from "#test/support/hostile.ts";
import { exchange, type RawExchange } from "#test/support/raw-http.ts";
import { startStopwatch } from "#test/support/slowness.ts";

const KEYS = "/api/acme/admin/apiKeys";
const MEGABYTE = 1024 * 1024;

describe("hostile requests on the wire", () => {
  const api = shareHostedApi();
  let key = "";

  before(async () => {
    await api().seed.tenant("acme");
    key = await api().seed.key("acme", "ApiKey.Read", "ApiKey.Write", "Pass.Read");
  });

  const head = (line: string, headers: readonly string[] = []) =>
    [line, "Host: localhost", `X-API-KEY: ${key}`, ...headers, "", ""].join("\r\n");
  const send = (...chunks: (string | Uint8Array)[]) => exchange(api().url, chunks);

  function assertRefused({ answers, isClosed }: RawExchange, status: number, about: string): void {
    assert.equal(answers.length, 1, `${about}: one answer`);
    const [answer] = answers;
    assert.equal(answer?.status, status, about);
    assertProblem(answer, status, answer.body?.code, about);
    assert.match(answer.headers.get("content-type") ?? "", /^application\/json/, about);
    assert.equal(isClosed, true, `${about}: the connection is closed`);
  }

  it("400: bytes that are not HTTP get a problem and a closed connection", async () => {
    for (const garbage of [
      ...[
        "\0\0\0\0",
        "hello\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET / HTPT/1.1\r\n\r\n",
      ],
      ...["FOO / HTTP/1.1\r\nHost: x\r\n\r\n", "get / HTTP/1.1\r\nHost: x\r\n\r\n", "{}\r\n\r\n"],
      ...[
        "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
        "GET / HTTP/1.1\r\n: x\r\n\r\n",
        "GET  HTTP/1.1\r\n\r\n",
      ],
      ...["GET / HTTP/1.1\nHost: x\nA\0B: c\n\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
      "GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nX-Evil: a\0b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nX-Folded: a\r\n b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nX-Bare: a\rb\r\n\r\n",
    ]) {
      assertRefused(await send(garbage), 400, JSON.stringify(garbage));
    }
    const hello = Buffer.from("16030100c8010000c40303", "hex");
    assertRefused(await send(hello, Buffer.alloc(200)), 400, "a TLS handshake");
  });

  it("400: a request whose length is in doubt is never read twice", async () => {
    const smuggled = "GET /api/warmup HTTP/1.1\r\nHost: x\r\n\r\n";
    const line = `POST ${KEYS} HTTP/1.1`;
    const chunked = "Transfer-Encoding: chunked";
    for (const headers of [
      ["Content-Length: 4", chunked],
      [chunked, "Content-Length: 4"],
      ["Content-Length: 4", "Content-Length: 5"],
      ["Content-Length: 4, 4"],
      ["Content-Length: +4"],
      ["Content-Length: -1"],
      ["Content-Length: 0x4"],
      ["Content-Length: 4 4"],
      ["Content-Length: 99999999999999999999999"],
      ["Transfer-Encoding: chunked, identity"],
      ["Transfer-Encoding: xchunked"],
      ["Transfer-Encoding: chunked", "Transfer-Encoding: cow"],
      ["Transfer-Encoding : chunked"],
      ["Transfer-Encoding:\n chunked"],
    ]) {
      const all = ["Content-Type: application/json", ...headers];
      assertRefused(await send(`${head(line, all)}0\r\n\r\n${smuggled}`), 400, headers.join(" | "));
    }
  });

  it("400: chunks that are not chunks end the request", async () => {
    const start = head(`POST ${KEYS} HTTP/1.1`, [
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
    ]);
    for (const body of [
      ...[
        "x\r\n{}\r\n0\r\n\r\n",
        "-1\r\n{}\r\n0\r\n\r\n",
        "2\r\n{}xx0\r\n\r\n",
        "0x2\r\n{}\r\n0\r\n\r\n",
      ],
      ...[
        "2 \r\n{}\r\n0\r\n\r\n",
        "ffffffffffffffffff\r\n{}",
        "2\n{}\n0\n\n",
        "2;a\rb\r\n{}\r\n0\r\n\r\n",
      ],
    ]) {
      assertRefused(await send(start + body), 400, JSON.stringify(body));
    }
  });

  it("400: a request names its host once", async () => {
    const none = await send("GET /api/warmup HTTP/1.1\r\n\r\n");
    assertProblem(none.answers[0] as never, 400, "request.malformed", "none");
    const two = await send("GET /api/warmup HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
    assertProblem(two.answers[0] as never, 400, "request.malformed", "two");
    const old = await send("GET /api/warmup HTTP/1.0\r\n\r\n");
    assert.equal(old.answers[0]?.status, 200, "HTTP/1.0 knew no Host");
  });

  it("431: headers too large or too many", async () => {
    const huge = head("GET /api/warmup HTTP/1.1", [`X-Huge: ${"a".repeat(40_000)}`]);
    assertRefused(await send(huge), 431, "huge");
    const many = Array.from({ length: 3_000 }, (_, index) => `a${index}: b`);
    const { answers } = await send(head("GET /api/warmup HTTP/1.1", many));
    assert.equal(answers[0]?.body?.code, "request.headers-too-large");
    const some = Array.from({ length: 250 }, (_, index) => `a${index}: b`);
    assertProblem(
      (await send(head("GET /api/warmup HTTP/1.1", some))).answers[0] as never,
      431,
      "request.headers-too-large",
    );
  });

  it("413: a body declared too large is refused before it is sent", async () => {
    const start = head(`POST ${KEYS} HTTP/1.1`, [
      "Content-Type: application/json",
      `Content-Length: ${50 * MEGABYTE}`,
    ]);
    const elapsedMs = startStopwatch();
    const { answers, isClosed } = await send(start);
    assertProblem(answers[0] as never, 413, "request.too-large");
    assert.equal(isClosed, true);
    // A server that waits for the body would take far longer than this.
    assert.ok(elapsedMs() < 5_000);
  });

  it("413: a body that grows too large on the way is cut off there", async () => {
    const start = head(`POST ${KEYS} HTTP/1.1`, [
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
    ]);
    function* chunks() {
      yield start;
      const piece = Buffer.alloc(64 * 1024, 0x20);
      for (let sent = 0; sent < 50 * MEGABYTE; sent += piece.length) {
        yield `${piece.length.toString(16)}\r\n`;
        yield piece;
        yield "\r\n";
      }
    }
    const { answers, isClosed, sentBytes } = await exchange(api().url, chunks());
    assertProblem(answers[0] as never, 413, "request.too-large");
    assert.equal(isClosed, true);
    assert.ok(sentBytes < 20 * MEGABYTE, `${sentBytes} bytes were taken`);
  });

  it("413: an ordinary client that sends 50 MB learns why", async () => {
    const rawBody = Buffer.alloc(50 * MEGABYTE, 0x20);
    const headers = { "content-type": "application/json" };
    assertProblem(await api().post(KEYS, { key, rawBody, headers }), 413, "request.too-large");
  });

  it("401, 404, 405: a refusal does not wait for the body either", async () => {
    const length = `Content-Length: ${50 * MEGABYTE}`;
    const type = "Content-Type: application/json";
    for (const [line, status] of [
      ["POST /api/rival/admin/apiKeys HTTP/1.1", 401],
      ["POST /api/acme/nowhere/at/all HTTP/1.1", 404],
      [`PATCH ${KEYS} HTTP/1.1`, 405],
    ] as const) {
      const { answers } = await send(head(line, [length, type]));
      assert.equal(answers[0]?.status, status, line);
      assert.equal(answers[0]?.body?.status, status, line);
    }
  });
});
