import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
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

const ROUNDS = 4;
const LOAD_MS = 400;
const STOP_MS_MAX = 10_000;

/** Three kinds of callers: without pauses, with pauses, and with a new connection each time. */
const CALLERS = [
  ...Array.from({ length: 16 }, () => ({ keepAlive: true, pauseMs: 0 })),
  ...Array.from({ length: 16 }, () => ({ keepAlive: true, pauseMs: 40 })),
  ...Array.from({ length: 8 }, () => ({ keepAlive: false, pauseMs: 0 })),
];

type Caller = (typeof CALLERS)[number];
type Tally = { answered: number; readonly cutOff: string[] };

type Outcome = number | string;

const READ = { method: "GET", path: "/api/acme/webhooks" };
const WRITE = { method: "POST", path: "/api/acme/admin/apiKeys" };
const PROBE = { method: "GET", path: "/api/warmup" };

/** Sends one request. Returns its status, or the reason why there was no answer. */
function ask(product: Product, agent: Agent, { method, path }: typeof READ): Promise<Outcome> {
  const write = method === "POST";
  const body = write ? JSON.stringify({ name: randomUUID(), scopes: ["Pass.Read"] }) : undefined;
  const headers = {
    "x-api-key": PRODUCT_OPERATOR_KEY,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  return new Promise((resolve) => {
    const sent = request(`${product.url}${path}`, { agent, method, headers });
    sent.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.on("response", (response) => {
      response.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      response.on("end", () => resolve(response.statusCode ?? 0));
      response.resume();
    });
    sent.end(body);
  });
}

/** Sends requests until connections are refused. */
async function callUntilRefused(product: Product, caller: Caller, tally: Tally): Promise<void> {
  const agent = new Agent({ keepAlive: caller.keepAlive, maxSockets: 2 });
  for (let count = 0; ; count += 1) {
    const outcome = await ask(product, agent, count % 4 === 0 ? WRITE : READ);
    if (outcome === "ECONNREFUSED") break;
    if (typeof outcome === "number" && outcome < 300) tally.answered += 1;
    else
      tally.cutOff.push(`${outcome} with keepAlive ${caller.keepAlive} every ${caller.pauseMs} ms`);
    await sleep(caller.pauseMs * Math.random() * 2);
  }
  agent.destroy();
}

/** Probes like a load balancer, until connections are refused. */
async function probeUntilRefused(product: Product): Promise<Outcome[]> {
  const agent = new Agent({ keepAlive: true });
  const outcomes: Outcome[] = [];
  for (let outcome: Outcome = 0; outcome !== "ECONNREFUSED"; await sleep(5)) {
    outcome = await ask(product, agent, PROBE);
    outcomes.push(outcome);
  }
  agent.destroy();
  return outcomes;
}

/** Reads a stream of events to its end. `text` fails if the server cuts the connection. */
async function listenToEnd(product: Product): Promise<string> {
  const response = await fetch(`${product.url}/api/acme/events/stream`, {
    headers: { "x-api-key": PRODUCT_OPERATOR_KEY, accept: "text/event-stream" },
  });
  assert.equal(response.status, 200);
  return await response.text();
}

describe("a product that is told to stop while it is busy", () => {
  let database: TestDatabase;
  let dataDir: string;

  const start = () =>
    startProduct({
      env: { DATA_DIR: dataDir, DATABASE_URL: database.url, ROLES: "api" },
    });

  before(async () => {
    database = await createDatabase();
    dataDir = await makeDataDir();
  });
  after(async () => {
    await database.drop();
    await removeDataDir(dataDir);
  });

  it("resets no request in any round, and ends its streams in good order", async () => {
    const tally: Tally = { answered: 0, cutOff: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      const product = await start();
      const files = {
        "tenant.yml": "name: Acme\nrateLimits:\n  default: { limit: 1000000, windowSeconds: 60 }\n",
      };
      await product.put("/api/tenants/acme", { key: PRODUCT_OPERATOR_KEY, body: { files } });
      // On a busy machine the first answer may take longer than `LOAD_MS`, so it is awaited here.
      assert.equal((await product.get("/api/warmup")).status, 200);
      const listening = listenToEnd(product);
      const load = CALLERS.map((caller) => callUntilRefused(product, caller, tally));
      const probing = probeUntilRefused(product);
      await sleep(LOAD_MS);
      const elapsedMs = startStopwatch();
      const exit = await product.kill("SIGTERM");
      const took = elapsedMs();
      await Promise.all(load);

      assert.deepEqual(exit, { code: 0, signal: null }, product.output());
      assert.ok(took < STOP_MS_MAX, `stopped after ${Math.round(took)} ms`);
      assert.match(await listening, /^retry: /);
      const told = (await probing).filter((outcome, at, all) => outcome !== all[at - 1]);
      assert.deepEqual(told[0] === 200 ? told.slice(1) : told, [503, "ECONNREFUSED"]);
    }
    assert.deepEqual(tally.cutOff, []);
    assert.ok(tally.answered > ROUNDS * CALLERS.length);
  });
});
