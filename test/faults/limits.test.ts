import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, get } from "node:http";
import { connect, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  makeDataDir,
  PRODUCT_OPERATOR_KEY,
  type Product,
  removeDataDir,
  startProduct,
} from "#test/support/product.ts";
import { createDatabase, type TestDatabase } from "#test/support/server.ts";
import { startStopwatch } from "#test/support/slowness.ts";

const FLOOD = 500;
const BACK_WITHIN_MS = 15_000;

/** Opens connections that are never used. Some may be refused. */
async function flood(port: number): Promise<Socket[]> {
  const sockets = Array.from({ length: FLOOD }, () =>
    connect(port, "127.0.0.1").on("error", () => undefined),
  );
  await Promise.allSettled(
    sockets.map((socket) => once(socket, "connect", { signal: AbortSignal.timeout(5_000) })),
  );
  return sockets;
}

async function waitUntilAnswers(product: Product): Promise<void> {
  const elapsedMs = startStopwatch();
  for (;;) {
    const status = await product.get("/api/tenants", { key: PRODUCT_OPERATOR_KEY }).then(
      (response) => response.status,
      () => undefined,
    );
    if (status === 200) return;
    assert.ok(elapsedMs() < BACK_WITHIN_MS, `it answers ${status}`);
    await sleep(100);
  }
}

/** Uses the single connection of the agent, which was opened before the flood. */
function statusOver(agent: Agent, product: Product): Promise<number | undefined> {
  const headers = { "x-api-key": PRODUCT_OPERATOR_KEY };
  return new Promise((resolve, reject) => {
    get(`${product.url}/api/tenants`, { agent, headers, timeout: 10_000 }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode));
    }).on("error", reject);
  });
}

describe("a product with little to live on", () => {
  let database: TestDatabase;
  let dataDir: string;

  before(async () => {
    database = await createDatabase();
    dataDir = await makeDataDir();
  });
  after(async () => {
    await database.drop();
    await removeDataDir(dataDir);
  });

  function start(command: [string, ...string[]]): Promise<Product> {
    return startProduct({ command, env: { DATA_DIR: dataDir, DATABASE_URL: database.url } });
  }

  it("with 256 MB of memory answers beside 500 idle connections", async () => {
    const product = await start([process.execPath, "--max-old-space-size=256"]);
    const sockets = await flood(Number(new URL(product.url).port));

    const answers = await Promise.all(
      Array.from({ length: 50 }, () => product.get("/api/tenants", { key: PRODUCT_OPERATOR_KEY })),
    );

    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    for (const socket of sockets) socket.destroy();
    assert.deepEqual(await product.kill("SIGTERM"), { code: 0, signal: null }, product.output());
  });

  it("with 64 file descriptors keeps answering its callers while 500 idle connections come", async () => {
    const product = await start(["sh", "-c", 'ulimit -n 64; exec "$0" "$@"', process.execPath]);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    assert.equal(await statusOver(agent, product), 200);
    const sockets = await flood(Number(new URL(product.url).port));

    for (let count = 0; count < 10; count += 1) {
      assert.equal(await statusOver(agent, product), 200);
    }
    agent.destroy();
    for (const socket of sockets) socket.destroy();
    await waitUntilAnswers(product);

    assert.doesNotMatch(product.output(), /defect/);
    assert.deepEqual(await product.kill("SIGTERM"), { code: 0, signal: null }, product.output());
  });
});
