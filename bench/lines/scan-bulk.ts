import { setTimeout as sleep } from "node:timers/promises";
import { type ApiClient, createClient } from "#test/support/client.ts";
import { type Loaded, loadedId, loadPasses } from "#test/support/pass-rows.ts";
import { defineLine } from "../support/line.ts";
import { preparePassTenant } from "../support/pass-tenant.ts";
import { scaled } from "../support/scale.ts";

const TENANT = "bench-scan-bulk";
const PASSES = scaled(100_000, 5_000);
const SCANNERS = 4;
/** People hold one pass after the other in front of a scanner. */
const PAUSE_MS = 10;
const IDLE_MS = scaled(10_000, 1_000);
const POLL_MS = 100;
const WAIT_MS_MAX = 300_000;

/** Gates go on while an administrator changes every pass. */
export const scanDuringBulk = defineLine({
  name: "scan during a bulk update",
  measures: {
    slowdown: { unit: "× p99 of a scan", bar: { of: "ours", below: 5 } },
    p99: { unit: "ms" },
  },
  rounds: 2,
  warmUpRounds: 1,
  async prepare(bench) {
    const product = await bench.product();
    const key = await preparePassTenant(product, TENANT);
    const loaded = await loadPasses(bench.connection, TENANT, PASSES);
    const api = createClient(product.url);
    let round = 0;
    return {
      async ours() {
        round += 1;
        const idle = new Scanners(api, key, loaded);
        await sleep(IDLE_MS);
        const idleP99 = await idle.stop();
        const scanners = new Scanners(api, key, loaded);
        try {
          await changeAll(api, key, round);
        } finally {
          scanners.end();
        }
        const p99 = await scanners.stop();
        return { slowdown: p99 / idleP99, p99 };
      },
      baselines: {},
    };
  },
});

async function changeAll(api: ApiClient, key: string, round: number): Promise<void> {
  const sent = await api.patch(`/api/${TENANT}/passes`, {
    key,
    body: {
      filter: [{ field: "creationDate", operator: "greaterThan", value: "2000-01-01T00:00:00Z" }],
      additionalData: { points: 1_000_000 + round },
    },
  });
  if (sent.status !== 202) throw new Error(`Not accepted: ${sent.text}`);
  const until = performance.now() + WAIT_MS_MAX;
  while (performance.now() < until) {
    const { body: job } = await api.get(`/api/${TENANT}/jobs/${sent.body.jobId}`, { key });
    if (job.state === "completed" && job.updated === PASSES) return;
    if (job.state === "completed") throw new Error(`${job.updated} of ${PASSES} were updated.`);
    await sleep(POLL_MS);
  }
  throw new Error("The bulk update does not end.");
}

let scanned = 0;

/** A few gates, each scanning pass after pass; no pass comes twice within a few seconds. */
class Scanners {
  readonly #times: number[] = [];
  readonly #running: Promise<void>[];
  #isOver = false;

  constructor(api: ApiClient, key: string, loaded: Loaded) {
    this.#running = Array.from({ length: SCANNERS }, async () => {
      while (!this.#isOver) {
        scanned += 1;
        const data = loadedId(loaded, (scanned * 7_919) % PASSES);
        const startedAt = performance.now();
        const body = { data, type: "qrcode" };
        const { status } = await api.post(`/api/${TENANT}/scans`, { key, body });
        if (status !== 201) throw new Error(`A scan gave ${status}.`);
        this.#times.push(performance.now() - startedAt);
        await sleep(PAUSE_MS);
      }
    });
    // `stop` tells of a failure. Until somebody calls it, an error without a reader would end the run.
    for (const one of this.#running) one.catch(() => undefined);
  }

  end(): void {
    this.#isOver = true;
  }

  /** The p99 of all scans. */
  async stop(): Promise<number> {
    this.end();
    await Promise.all(this.#running);
    const sorted = this.#times.sort((left, right) => left - right);
    return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  }
}
