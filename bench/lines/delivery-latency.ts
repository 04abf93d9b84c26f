import { setTimeout as sleep } from "node:timers/promises";
import { type DeliveryStage, openDeliveryStage } from "../support/delivery-stage.ts";
import { defineLine, type Line, type Sample } from "../support/line.ts";
import { monotonicMs } from "../support/monotonic.ts";

const TENANT = "latency";
const EVENTS = 200;
const PAUSE_MS = 15;
const WAIT_MS_MAX = 10_000;

/** API and worker in one process: the commit itself wakes the engine. */
export const deliveryLatency = latencyLine("webhook latency", 1);

/** In two: nothing but LISTEN/NOTIFY wakes the engine. */
export const deliveryLatencyAcross = latencyLine("webhook latency, two processes", 2);

/**
 * From a change to its POST, one change at a time. Counted from the moment the change was asked for,
 * since nobody outside sees the commit: what is measured includes the request and its transaction.
 */
function latencyLine(name: string, processes: 1 | 2): Line {
  return defineLine({
    name,
    measures: {
      median: { unit: "ms from request to POST", bar: { of: "ours", below: 25 } },
      p99: { unit: "ms from request to POST", bar: { of: "ours", below: 250 } },
    },
    rounds: 3,
    async prepare(bench) {
      const stage = await openDeliveryStage(bench, { name: `webhooks_${processes}`, processes });
      await stage.createTenant(TENANT);
      await stage.createWebhook(TENANT, `${stage.origins[0]}/noted`);
      let round = 0;
      return {
        ours() {
          round += 1;
          return measure(stage, `round-${round}`);
        },
        baselines: {},
      };
    },
  });
}

async function measure(stage: DeliveryStage, prefix: string): Promise<Sample> {
  const askedAt = new Map<string, number>();
  for (let count = 0; count < EVENTS; count += 1) {
    const name = `${prefix}-${count}`;
    // Not in step with any timer of the product.
    await sleep(PAUSE_MS + Math.random() * PAUSE_MS);
    askedAt.set(name, monotonicMs());
    const { status, text } = await stage.api.post(`/api/${TENANT}/admin/apiKeys`, {
      key: stage.operatorKey,
      body: { name, scopes: ["ApiKey.Read"] },
    });
    if (status !== 201) throw new Error(`No key: ${text}`);
  }
  const waits = await collect(stage, askedAt);
  const sorted = waits.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { median: at(0.5), p99: at(0.99) };
}

async function collect(stage: DeliveryStage, askedAt: Map<string, number>): Promise<number[]> {
  const waits = new Map<string, number>();
  const until = performance.now() + WAIT_MS_MAX;
  while (waits.size < askedAt.size) {
    if (performance.now() > until) throw new Error(`Only ${waits.size} events arrived.`);
    const response = await fetch(`${stage.sink.url}/noted`);
    for (const { at, body } of (await response.json()) as { at: number; body: string }[]) {
      const name = JSON.parse(body).data.name as string;
      const wait = at - (askedAt.get(name) ?? Number.NaN);
      // An event may come twice; the first time counts.
      if (!waits.has(name)) waits.set(name, wait);
    }
    await sleep(20);
  }
  return [...waits.values()];
}
