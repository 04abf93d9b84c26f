import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
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

const KEYS = "/api/acme/admin/apiKeys";
const ANSWERED_MS_MAX = 5_000;
const WARMUP_MS_MAX = 2_000;
const BACK_MS_MAX = 3_000;

const key = PRODUCT_OPERATOR_KEY;

async function createAcme(product: Product): Promise<void> {
  const body = { files: { "tenant.yml": "name: Acme\n" } };
  assert.equal((await product.put("/api/tenants/acme", { key, body })).status, 201);
  await requireWork(product);
}

let names = 0;

function create(product: Product, headers: Record<string, string> = {}): Promise<ApiResponse> {
  names += 1;
  const body = { name: `key-${names}`, scopes: ["Pass.Read"] };
  return product.post(KEYS, { key, body, headers });
}

async function requireWork(product: Product): Promise<void> {
  assert.equal((await product.get(KEYS, { key })).status, 200);
  assert.equal((await create(product, { "idempotency-key": `k-${names}` })).status, 201);
}

type Timed = { readonly response: ApiResponse; readonly ms: number };

async function timed(sending: Promise<ApiResponse>): Promise<Timed> {
  const elapsedMs = startStopwatch();
  const response = await sending;
  return { response, ms: elapsedMs() };
}

/** More requests than there are connections. */
function crowd(product: Product): Promise<Timed[]> {
  return Promise.all(
    Array.from({ length: 6 }, (_, at) => [
      timed(product.get(KEYS, { key })),
      timed(create(product)),
      timed(create(product, { "idempotency-key": `crowd-${names}-${at}` })),
    ]).flat(),
  );
}

function assertRefusedSoon({ response, ms }: Timed, limitMs = ANSWERED_MS_MAX): void {
  assert.equal(response.status, 503, response.text);
  assert.match(response.headers.get("retry-after") ?? "", /^\d+$/);
  assert.ok(ms < limitMs, `refused after ${Math.round(ms)} ms`);
}

/** Checks requests from the moment of the fault, and again after it has lasted for a while. */
async function assertAllRefusedSoon(product: Product): Promise<void> {
  const underWay = crowd(product);
  assertRefusedSoon(await timed(product.get("/api/warmup")), WARMUP_MS_MAX);
  for (const answer of await underWay) assertRefusedSoon(answer);
  await sleep(1_500);
  for (const answer of await crowd(product)) assertRefusedSoon(answer);
  assertRefusedSoon(await timed(product.get("/api/warmup")), WARMUP_MS_MAX);
}

async function assertBackSoon(product: Product): Promise<void> {
  const elapsedMs = startStopwatch();
  while ((await product.get(KEYS, { key })).status !== 200) {
    assert.ok(elapsedMs() < BACK_MS_MAX, "the product does not come back");
    await sleep(50);
  }
  for (const { response } of await crowd(product)) assert.ok(response.status < 300, response.text);
  assert.equal((await product.get("/api/warmup")).status, 200);
}

/** Nobody can create a key until the lock is released. */
async function holdLock({ connection }: TestDatabase) {
  const { Client } = (await import("pg")).default;
  const client = new Client(connection);
  await client.connect();
  await client.query("begin; lock table api_key in exclusive mode");
  return {
    async release() {
      await client.query("commit");
      await client.end();
    },
  };
}

/** The process ids of the server and of its child processes. */
function familyOf(postmaster: number): number[] {
  const children = readdirSync("/proc").filter((name) => {
    try {
      const [, parent] = /^PPid:\s(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, "utf8")) ?? [];
      return Number(parent) === postmaster;
    } catch {
      return false;
    }
  });
  return [postmaster, ...children.map(Number)];
}

// Concurrent, because each has its own product and database, and mostly waits.
describe("a database that falls silent", { concurrency: true }, () => {
  describe("a product whose line to the database goes dead", { concurrency: false }, () => {
    let database: TestDatabase;
    let link: BreakableLink;
    let dataDir: string;
    let product: Product;

    before(async () => {
      database = await createDatabase();
      link = await createBreakableLink(database.connection);
      dataDir = await makeDataDir();
      product = await startProduct({
        env: { DATA_DIR: dataDir, DATABASE_URL: toUrl(link.connection), DATABASE_POOL_SIZE: "4" },
      });
      await createAcme(product);
    });
    after(async () => {
      await product.kill("SIGKILL");
      await link.close();
      await database.drop();
      await removeDataDir(dataDir);
    });

    for (const [name, rest] of [
      ["while it is busy", 0],
      ["while it is at rest", 2_500],
    ] as const) {
      it(`503: a black hole ${name} is noticed, and left within seconds of its end`, async () => {
        await requireWork(product);
        await sleep(rest);
        link.silence();
        await assertAllRefusedSoon(product);
        await link.restore();
        await assertBackSoon(product);
      });
    }

    it("503: connections that only we believe in are given up, and others opened", async () => {
      await crowd(product);
      link.strand();
      for (const { response, ms } of await crowd(product)) {
        assert.ok([200, 201, 503].includes(response.status), response.text);
        assert.ok(ms < ANSWERED_MS_MAX, `answered after ${Math.round(ms)} ms`);
      }
      await assertBackSoon(product);
    });

    it("a statement that takes its time is not taken for a dead line", async () => {
      const client = await holdLock(database);
      const sending = timed(create(product));
      await sleep(3_500);
      await client.release();
      const { response } = await sending;
      assert.equal(response.status, 201, response.text);
    });
  });

  describe("a product whose own database server freezes", {
    concurrency: false,
    skip: process.platform !== "linux" && "reads the processes of the server from /proc",
  }, () => {
    let dataDir: string;
    let product: Product;
    let postmaster: number;

    before(async () => {
      dataDir = await makeDataDir();
      product = await startProduct({ env: { DATA_DIR: dataDir } });
      await createAcme(product);
      postmaster = findPostmaster(dataDir) ?? 0;
      assert.ok(postmaster > 0);
    });
    after(async () => {
      await product.kill("SIGTERM");
      await removeDataDir(dataDir);
    });

    it("503: it is noticed, and left within seconds of its end", async () => {
      await crowd(product);
      const frozen = familyOf(postmaster);
      assert.ok(frozen.length > 5);
      for (const pid of frozen) process.kill(pid, "SIGSTOP");
      try {
        await assertAllRefusedSoon(product);
      } finally {
        for (const pid of frozen) process.kill(pid, "SIGCONT");
      }
      await assertBackSoon(product);
    });

    it("200: a server that opens no new connections is used by those that are open", async () => {
      await crowd(product);
      process.kill(postmaster, "SIGSTOP");
      try {
        const until = performance.now() + 4_000;
        while (performance.now() < until) {
          const { response, ms } = await timed(product.get(KEYS, { key }));
          assert.equal(response.status, 200, response.text);
          assert.ok(ms < ANSWERED_MS_MAX);
          await sleep(100);
        }
      } finally {
        process.kill(postmaster, "SIGCONT");
      }
      await assertBackSoon(product);
    });
  });
});
