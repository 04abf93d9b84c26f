import { setTimeout as sleep } from "node:timers/promises";
import { freePort, type Product, startProduct } from "./product.ts";
import { createDatabase } from "./server.ts";

/** How often the product's own gauge looks; what it shows for a loop that is never late. */
const GAUGE_EVERY_MS = 10;

export type WatchedProduct = Product & {
  /** The longest time for which nobody else was served while `work` was under way, in milliseconds. */
  longestDelay(work: () => Promise<void>): Promise<number>;
};

type Owner = { after(undo: () => Promise<void>): void };

/** A process of its own: a test that sends much is busy itself, and must not count that. */
export async function startWatched(
  owner: Owner,
  env: Readonly<Record<string, string>> = {},
): Promise<WatchedProduct> {
  const database = await createDatabase();
  const metricsPort = await freePort();
  const product = await startProduct({
    env: { DATABASE_URL: database.url, METRICS_PORT: String(metricsPort), ...env },
  });
  owner.after(async () => {
    await product.kill("SIGTERM");
    await database.drop();
  });
  const readGauge = async () => {
    const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    const shown = /^nodejs_eventloop_lag_max_seconds ([\d.e-]+)$/m.exec(await answer.text());
    return Number(shown?.[1]) * 1_000;
  };
  return {
    ...product,
    async longestDelay(work) {
      // Reading it begins a new count.
      await readGauge();
      await work();
      await sleep(2 * GAUGE_EVERY_MS);
      return Math.max(0, (await readGauge()) - GAUGE_EVERY_MS);
    },
  };
}
