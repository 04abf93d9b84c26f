import assert from "node:assert/strict";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { describe, it } from "node:test";
import { createLog } from "../log.ts";
import type { Runtime } from "../runtime.ts";
import type { HttpPorts } from "./ports.ts";
import { createRouteTable } from "./route-table.ts";
import { createServer } from "./server.ts";

/** All members are named, so that a new port that is missing here does not compile. */
const PORTS: HttpPorts = {
  authenticate: () => assert.fail("No request gets as far as its credentials."),
  tenantOfHost: () => undefined,
  onRightsChanged: () => undefined,
  tenantSince: () => undefined,
  takeToken: () => assert.fail("No request gets as far as its limit."),
};

function makeServer() {
  const runtime = { log: createLog({ level: "silent" }), metrics: { record: () => undefined } };
  return createServer({
    runtime: runtime as unknown as Runtime,
    routes: [],
    table: createRouteTable([]),
    ports: PORTS,
    trustedProxies: 0,
    uploadFolder: tmpdir(),
    checkReplies: true,
  });
}

describe("the HTTP server", () => {
  it("gives slow senders a bounded time", async (t) => {
    const app = makeServer();
    t.after(() => app.close());
    await app.ready();
    assert.equal(app.server.headersTimeout, 15_000);
    assert.equal(app.server.requestTimeout, 60_000);
    // Longer than the minute for which load balancers keep connections, so they never reuse a
    // closed one.
    assert.equal(app.server.keepAliveTimeout, 72_000);
  });

  it("408: headers that never end are cut off with the reason", async (t) => {
    const app = makeServer();
    t.after(() => app.close());
    await app.listen({ port: 0, host: "127.0.0.1" });
    app.server.headersTimeout = 1;
    app.server.requestTimeout = 1;
    const { port } = app.server.address() as { port: number };
    const socket = connect(port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");

    let text = "";
    for await (const data of socket) text += data;

    assert.match(text, /^HTTP\/1\.1 408 Request Timeout\r\n/);
    assert.match(text, /"code":"request\.timeout"/);
  });
});
