import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type BreakableLink, createBreakableLink } from "#test/support/breakable-link.ts";
import type { ApiResponse } from "#test/support/client.ts";
import {
  findPostmaster,
  makeDataDir,
  PRODUCT_OPERATOR_KEY,
  type Product,
  removeDataDir,
  startProduct,
} from "#test/support/product.ts";
import { createDatabase, type TestDatabase, toUrl } from "#test/support/server.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { type Receiver, startReceiver, until } from "#test/support/webhook-receiver.ts";

const KEYS = "/api/acme/admin/apiKeys";
/** Also applies to requests whose statement was running when the connection stopped responding. */
const REFUSED_WITHIN_MS = 5_000;
const BACK_WITHIN_MS = 15_000;

const key = PRODUCT_OPERATOR_KEY;

async function createAcme(product: Product): Promise<string> {
  const body = { files: { "tenant.yml": "name: Acme\n" } };
  assert.equal((await product.put("/api/tenants/acme", { key, body })).status, 201);
  const made = await product.post(KEYS, { key, body: { name: "till", scopes: ["ApiKey.Read"] } });
  assert.equal(made.status, 201);
  return made.body.token;
}

async function timed(sending: Promise<ApiResponse>): Promise<[ApiResponse, number]> {
  const elapsedMs = startStopwatch();
  return [await sending, elapsedMs()];
}

function assertUnavailable(response: ApiResponse): void {
  assert.equal(response.status, 503, response.text);
  assert.match(response.headers.get("retry-after") ?? "", /^\d+$/);
  assert.equal(response.body.status, 503);
  assert.match(response.body.type, /service\.unavailable/);
  assert.doesNotMatch(response.text, /ECONN|postgres|127\.0\.0\.1/i);
}

async function waitUntilBack(product: Product): Promise<void> {
  const elapsedMs = startStopwatch();
  while ((await product.get("/api/warmup")).status !== 200) {
    assert.ok(elapsedMs() < BACK_WITHIN_MS, "the product does not come back");
    await sleep(50);
  }
}

let lastName = 0;

async function assertWorks(product: Product, token: string): Promise<void> {
  lastName += 1;
  const body = { name: `key-${lastName}`, scopes: ["Pass.Read"] };
  const headers = { "idempotency-key": `create-${lastName}` };
  assert.equal((await product.post(KEYS, { key, body, headers })).status, 201);
  assert.equal((await product.get(KEYS, { key: token })).status, 200);
}

describe("a product whose database goes away", () => {
  let database: TestDatabase;
  let link: BreakableLink;
  let dataDir: string;
  let product: Product;
  let token: string;
  let receiver: Receiver;
  let closeReceiver: () => Promise<void>;

  before(async () => {
    receiver = await startReceiver({
      after: (undo) => {
        closeReceiver = undo;
      },
    });
    database = await createDatabase();
    link = await createBreakableLink(database.connection);
    dataDir = await makeDataDir();
    product = await startProduct({
      env: { DATA_DIR: dataDir, DATABASE_URL: toUrl(link.connection), DATABASE_POOL_SIZE: "4" },
    });
    token = await createAcme(product);
    const body = { events: ["api-key.*"], endpoint: receiver.url, enabled: true };
    assert.equal((await product.post("/api/acme/webhooks", { key, body })).status, 200);
  });
  after(async () => {
    await product.kill("SIGKILL");
    await closeReceiver();
    await link.close();
    await database.drop();
    await removeDataDir(dataDir);
  });

  async function connections(): Promise<Set<string>> {
    const client = new pg.Client(database.connection);
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      "select application_name as name from pg_stat_activity where datname = current_database()",
    );
    await client.end();
    return new Set(rows.map(({ name }) => name));
  }

  async function waitForAllConnections(): Promise<void> {
    const wanted = ["billfold", "billfold signals", "billfold jobs"];
    const elapsedMs = startStopwatch();
    for (;;) {
      const open = await connections();
      if (wanted.every((name) => open.has(name))) return;
      assert.ok(elapsedMs() < BACK_WITHIN_MS, `only ${[...open]} came back`);
      await sleep(100);
    }
  }

  it("503: every request is refused at once while connections are, then all works again", async () => {
    assert.equal((await product.get(KEYS, { key: token })).status, 200);
    await link.cut();

    const answers = await Promise.all([
      timed(product.get(KEYS, { key: token })), // This key is still in the cache.
      timed(product.get(KEYS, { key })),
      timed(product.post(KEYS, { key, body: { name: "late", scopes: ["Pass.Read"] } })),
      timed(product.get("/api/warmup")),
    ]);
    for (const [response, ms] of answers) {
      assertUnavailable(response);
      assert.ok(ms < REFUSED_WITHIN_MS, `refused after ${Math.round(ms)} ms`);
    }
    await link.restore();
    await waitUntilBack(product);

    await assertWorks(product, token);
    await waitForAllConnections();
  });

  it("503: a line that swallows everything is noticed, and costs nothing once it is back", async () => {
    await assertWorks(product, token);
    link.silence();
    const underWay = Array.from({ length: 8 }, () => timed(product.get(KEYS, { key })));
    await sleep(1_500);
    const [warmup, warmupMs] = await timed(product.get("/api/warmup"));
    assertUnavailable(warmup);
    assert.ok(warmupMs < REFUSED_WITHIN_MS, `refused after ${Math.round(warmupMs)} ms`);
    for (const [response, ms] of await Promise.all(underWay)) {
      assertUnavailable(response);
      assert.ok(ms < REFUSED_WITHIN_MS, `refused after ${Math.round(ms)} ms`);
    }

    await link.restore();
    await waitUntilBack(product);

    await assertWorks(product, token);
    await waitForAllConnections();
  });

  it("what happened before, meanwhile and since is delivered", async () => {
    await assertWorks(product, token);
    const made = Array.from({ length: lastName }, (_, index) => `key-${index + 1}`);
    const told = () => new Set(receiver.received.map(({ body }) => nameOf(body.data)));
    await until(
      () => made.every((name) => told().has(name)),
      () => `told of ${[...told()]}`,
      BACK_WITHIN_MS * 2,
    );
  });
});

function nameOf(data: unknown): string {
  return (data as { name: string }).name;
}

describe("a product whose own database server is killed", () => {
  it("brings it back by itself and goes on", async (t) => {
    const dataDir = await makeDataDir();
    const product = await startProduct({ env: { DATA_DIR: dataDir, LOG_LEVEL: "info" } });
    t.after(async () => {
      await product.kill("SIGTERM");
      await removeDataDir(dataDir);
    });
    const token = await createAcme(product);
    const first = findPostmaster(dataDir);
    assert.ok(first !== undefined);

    process.kill(first, "SIGKILL");
    const [response] = await timed(product.get(KEYS, { key: token }));
    if (response.status !== 200) assertUnavailable(response);
    await waitUntilBack(product);

    await assertWorks(product, token);
    assert.notEqual(findPostmaster(dataDir), first);
    // The log is written in batches, with a delay.
    await sleep(500);
    assert.match(product.output(), /embedded database restarted/);
  });
});
