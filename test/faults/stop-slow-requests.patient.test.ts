import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import {
  makeDataDir,
  PRODUCT_OPERATOR_KEY,
  type Product,
  removeDataDir,
  startProduct,
} from "#test/support/product.ts";
import { createDatabase, type TestDatabase } from "#test/support/server.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { until } from "#test/support/webhook-receiver.ts";

const key = PRODUCT_OPERATOR_KEY;
const BODY_MS = 8_000;
const ENDPOINT_MS = 6_000;
const STOP_MS_MAX = 30_000;
const QUIET_STOP_MS_MAX = 5_000;

/** `/slow` answers after some seconds. Other paths are never answered. */
async function startEndpoint(called: Set<string>): Promise<Server> {
  const server = createServer((incoming, response) => {
    incoming.resume();
    called.add(incoming.url ?? "");
    if (incoming.url === "/slow") setTimeout(() => response.end(), ENDPOINT_MS);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** Sends the first bytes of a body, and the rest much later. */
function postSlowly(product: Product): Promise<number | string> {
  const text = JSON.stringify({ name: "slow", scopes: ["Pass.Read"] });
  return new Promise((resolve) => {
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const url = `${product.url}/api/acme/admin/apiKeys`;
    const sending = request(url, { method: "POST", headers });
    sending.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sending.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sending.write(text.slice(0, 10));
    setTimeout(() => sending.end(text.slice(10)), BODY_MS);
  });
}

describe("a product that is told to stop while requests take long", () => {
  let database: TestDatabase;
  let dataDir: string;
  let endpoint: Server;
  const called = new Set<string>();
  let product: Product;

  before(async () => {
    database = await createDatabase();
    dataDir = await makeDataDir();
    endpoint = await startEndpoint(called);
  });
  after(async () => {
    await product.kill("SIGKILL");
    endpoint.closeAllConnections();
    endpoint.close();
    await database.drop();
    await removeDataDir(dataDir);
  });

  async function start(): Promise<void> {
    product = await startProduct({ env: { DATA_DIR: dataDir, DATABASE_URL: database.url } });
    const files = { "tenant.yml": "name: Acme\n" };
    await product.put("/api/tenants/acme", { key, body: { files } });
  }

  async function stop(): Promise<number> {
    const elapsedMs = startStopwatch();
    const exit = await product.kill("SIGTERM");
    assert.deepEqual(exit, { code: 0, signal: null }, product.output());
    return elapsedMs();
  }

  async function addWebhook(path: string): Promise<string> {
    const { port } = endpoint.address() as AddressInfo;
    const body = { endpoint: `http://127.0.0.1:${port}${path}`, events: ["pass.*"] };
    const { status, body: made } = await product.post("/api/acme/webhooks", { key, body });
    assert.equal(status, 200);
    return made.id;
  }

  function tryOut(webhookId: string) {
    return product.post(`/api/acme/webhooks/${webhookId}/test`, { key, body: {} });
  }

  it("stops at once when nothing is under way", async () => {
    await start();
    const took = await stop();
    assert.ok(took < QUIET_STOP_MS_MAX, `stopped after ${Math.round(took)} ms`);
  });

  it("201, 200: waits for bodies and endpoints, and answers even those whose endpoint hangs", async () => {
    await start();
    const slow = await addWebhook("/slow");
    const hanging = await addWebhook("/never");
    const posted = postSlowly(product);
    const tried = tryOut(slow);
    const triedInVain = tryOut(hanging);
    await until(() => called.size === 2, "both endpoints are called");
    const took = stop();

    assert.equal((await tried).status, 200);
    assert.equal(await posted, 201);
    assert.equal((await triedInVain).status, 200);
    assert.ok((await took) < STOP_MS_MAX);
    assert.doesNotMatch(product.output(), /does not answer|did not close|"level":(50|"error")/);
  });
});
