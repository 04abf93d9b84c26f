import { setTimeout as sleep } from "node:timers/promises";
import { freePort, type Product, startProduct } from "./product.ts";
import { createDatabase } from "./server.ts";
import { watchProcessor } from "./slowness.ts";

const PROBE = new URL("./loop-probe.ts", import.meta.url).href;
/** Long enough for the probe to look once more after the last answer. */
const SETTLED_MS = 20;

export type WatchedProduct = Product & {
  /** For how long the event loop was kept from everyone else at the most, in milliseconds. */
  longestDelay(work: () => Promise<unknown>): Promise<number>;
};

type Owner = { after(undo: () => Promise<void>): void };

/** A process of its own: a test that sends much is busy itself, and must not count that. */
export async function startWatched(
  owner: Owner,
  env: Readonly<Record<string, string>> = {},
): Promise<WatchedProduct> {
  const database = await createDatabase();
  const port = await freePort();
  const product = await startProduct({
    command: [process.execPath, "--import", PROBE],
    env: { DATABASE_URL: database.url, LOOP_PROBE_PORT: String(port), ...env },
  });
  owner.after(async () => {
    await product.kill("SIGTERM");
    await database.drop();
  });
  const read = async () => Number(await (await fetch(`http://127.0.0.1:${port}`)).text());
  return {
    ...product,
    async longestDelay(work) {
      await read();
      const slowness = watchProcessor();
      await work();
      await sleep(SETTLED_MS);
      return (await read()) / slowness();
    },
  };
}
