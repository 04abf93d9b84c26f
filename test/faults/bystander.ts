import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

type Watch = {
  readonly url: string;
  readonly key: string;
  readonly forMs: number;
};

export type Waits = { readonly p99Ms: number; readonly statuses: readonly number[] };

const PAUSE_MS = 5;

/** Calls from its own thread, so that other work of the test process does not lengthen waits. */
export function watchBystander(watch: Watch): Promise<Waits> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: watch });
    worker.once("message", resolve).once("error", reject);
  });
}

async function callAgainAndAgain({ url, key, forMs }: Watch): Promise<Waits> {
  const waits: number[] = [];
  const statuses = new Set<number>();
  const until = performance.now() + forMs;
  while (performance.now() < until) {
    const startedAt = performance.now();
    const response = await fetch(url, { headers: { "x-api-key": key } });
    await response.text();
    waits.push(performance.now() - startedAt);
    statuses.add(response.status);
    await sleep(PAUSE_MS);
  }
  waits.sort((left, right) => left - right);
  return { p99Ms: waits[Math.floor(waits.length * 0.99)] ?? 0, statuses: [...statuses] };
}

if (!isMainThread) parentPort?.postMessage(await callAgainAndAgain(workerData as Watch));
