import assert from "node:assert/strict";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import Type from "typebox";
import { createLog } from "../../log.ts";
import type { Runtime } from "../../runtime.ts";
import type { HttpPorts } from "../ports.ts";
import { defineRoute } from "../route.ts";
import { createRouteTable } from "../route-table.ts";
import { createServer } from "../server.ts";

/** The time limit of usual requests here; Node looks for late ones every five seconds. */
const REQUEST_MS = 1_000;
const SLOW_MS = 8_000;
const PIECES = 40;

const PORTS: HttpPorts = {
  authenticate: () => assert.fail("The routes are public."),
  tenantOfHost: () => undefined,
  onRightsChanged: () => undefined,
  tenantSince: () => undefined,
  takeToken: () => assert.fail("The routes are public."),
};

const size = Type.Object({ size: Type.Integer() });

const uploading = defineRoute({
  op: "thing.upload",
  method: "PUT",
  url: "/upload",
  scope: "public",
  summary: "Counts bytes while they arrive",
  body: Type.Array(Type.Unknown()),
  upload: {
    types: ["text/csv"],
    sizeBytesMax: 1_000,
    async receive(_context, _input, chunks) {
      let count = 0;
      for await (const chunk of chunks) count += chunk.length;
      return { fingerprint: "", count, abandon: async () => undefined };
    },
  },
  reply: size,
  handle: (_context, { received }) => ({ size: received.count }),
});

const usual = defineRoute({
  op: "thing.put",
  method: "PUT",
  url: "/usual",
  scope: "public",
  summary: "Takes a usual body",
  body: Type.Array(Type.Unknown()),
  reply: size,
  handle: () => ({ size: 0 }),
});

async function start(t: TestContext): Promise<string> {
  const runtime = { log: createLog({ level: "silent" }), metrics: { record: () => undefined } };
  const routes = [uploading, usual];
  const app = createServer({
    runtime: runtime as unknown as Runtime,
    routes,
    table: createRouteTable(routes),
    ports: PORTS,
    trustedProxies: 0,
    uploadFolder: tmpdir(),
    checkReplies: true,
  });
  t.after(() => app.close());
  await app.listen({ port: 0, host: "127.0.0.1" });
  app.server.headersTimeout = REQUEST_MS;
  app.server.requestTimeout = REQUEST_MS;
  return `http://127.0.0.1:${(app.server.address() as { port: number }).port}`;
}

/** Sends a byte after the other, for much longer than a usual request may take. */
async function sendSlowly(url: string, type: string) {
  const sending = request(url, { method: "PUT", headers: { "content-type": type } });
  const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
    sending.on("error", reject);
    sending.on("response", async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, text });
    });
  });
  let isAnswered = false;
  void answer.finally(() => {
    isAnswered = true;
  });
  for (let sent = 0; sent < PIECES && !isAnswered; sent += 1) {
    sending.write("x");
    await sleep(SLOW_MS / PIECES);
  }
  sending.end();
  return await answer;
}

describe("an upload", () => {
  it("200: may take longer than a usual request, which is cut off", async (t) => {
    const url = await start(t);
    const [slow, late] = await Promise.all([
      sendSlowly(`${url}/upload`, "text/csv"),
      sendSlowly(`${url}/usual`, "application/json"),
    ]);
    assert.deepEqual(slow, { status: 200, text: `{"size":${PIECES}}` });
    assert.equal(late.status, 408);
  });

  it("413: more bytes than announced anywhere; the sender gets the answer", async (t) => {
    const url = await start(t);
    const sending = request(`${url}/upload`, {
      method: "PUT",
      headers: { "content-type": "text/csv" },
    });
    const status = new Promise((resolve, reject) => {
      sending.on("error", reject);
      sending.on("response", (response) => resolve(response.statusCode));
    });
    sending.end("x".repeat(100_000));
    assert.equal(await status, 413);
  });
});
