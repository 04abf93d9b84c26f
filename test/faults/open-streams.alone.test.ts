import assert from "node:assert/strict";
import { get } from "node:http";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "../support/client.ts";
import {
  PRODUCT_OPERATOR_KEY as key,
  makeDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from "../support/product.ts";
import { startStopwatch } from "../support/slowness.ts";
import { until } from "../support/webhook-receiver.ts";

/** 25 tenants with 20 streams each: as many streams as one process accepts. */
const TENANTS = 25;
const STREAMS_PER_TENANT = 20;
const EVENTS_PER_TENANT = 30;
const EVENT_EVERY_MS = 250;
/** The limits for requests of another tenant meanwhile, as median and as 95th percentile. */
const P50_MS_MAX = 50;
const P95_MS_MAX = 250;

let product: Product;
let dataDir: string;
let messages = 0;

before(async () => {
  dataDir = await makeDataDir();
  product = await startProduct({ env: { DATA_DIR: dataDir } });
});
after(async () => {
  await product.kill("SIGTERM");
  await removeDataDir(dataDir);
});

/** Resolves at the first message with a position. From then on no event is missed. */
function listen(tenantId: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const url = `${product.url}/api/${tenantId}/events/stream?event=api-key.*`;
    const request = get(url, { agent: false, headers: { "x-api-key": key } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`Status ${response.statusCode}`));
      response.setEncoding("utf8").on("data", (text: string) => {
        if (text.includes("id: ")) resolve();
        messages += text.split("event: api-key.created").length - 1;
      });
    });
    request.on("error", reject);
    after(async () => void request.destroy());
  });
}

async function make(tenantId: string): Promise<void> {
  for (let count = 0; count < EVENTS_PER_TENANT; count += 1) {
    const body = { name: `made-${count}`, scopes: ["Pass.Read"] };
    const { status, text } = await product.post(`/api/${tenantId}/admin/apiKeys`, { key, body });
    assert.equal(status, 201, text);
    await sleep(EVENT_EVERY_MS);
  }
}

/** Measures requests of another tenant until `isOver`, and returns the times in ascending order. */
async function measure(isOver: () => boolean): Promise<number[]> {
  const { get: read } = createClient(product.url);
  const waits: number[] = [];
  while (!isOver()) {
    const elapsedMs = startStopwatch();
    assert.equal((await read("/api/bystander/admin/apiKeys", { key })).status, 200);
    waits.push(elapsedMs());
    await sleep(10);
  }
  return waits.sort((left, right) => left - right);
}

describe("500 open streams", () => {
  it("hear of everything, and the API stays quick for others", async (t) => {
    const tenants = Array.from({ length: TENANTS }, (_none, at) => `heard-${at}`);
    for (const tenantId of [...tenants, "bystander"]) {
      const body = { files: { "tenant.yml": `name: ${tenantId}\n` } };
      assert.equal((await product.put(`/api/tenants/${tenantId}`, { key, body })).status, 201);
    }
    for (const tenantId of tenants) {
      await Promise.all(Array.from({ length: STREAMS_PER_TENANT }, () => listen(tenantId)));
    }
    let isOver = false;
    const measuring = measure(() => isOver);
    await Promise.all(tenants.map(make));
    isOver = true;
    const waits = await measuring;
    const wanted = TENANTS * STREAMS_PER_TENANT * EVENTS_PER_TENANT;
    await until(
      () => messages >= wanted,
      () => `${messages} of ${wanted} messages`,
    );
    assert.equal(messages, wanted);
    const at = (share: number) => waits[Math.floor(waits.length * share)] ?? Number.NaN;
    t.diagnostic(`p50 ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms of ${waits.length}`);
    assert.ok(at(0.5) < P50_MS_MAX, `p50 ${at(0.5)} ms`);
    assert.ok(at(0.95) < P95_MS_MAX, `p95 ${at(0.95)} ms`);
  });
});
