import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "#test/support/client.ts";
import type { Product } from "./product.ts";

const READERS = 4;
/** They read, and then they think: what is measured is the work beside them, not who wins the processor. */
const THINK_MS = 10;

/** A few callers that read, one after the other. `pathOf` gets ever new numbers. */
export class Readers {
  readonly #times: number[] = [];
  readonly #running: Promise<void>[];
  #isOver = false;

  constructor(product: Product, key: string, pathOf: (count: number) => string) {
    const api = createClient(product.url);
    this.#running = Array.from({ length: READERS }, async (_, reader) => {
      for (let count = reader; !this.#isOver; count += READERS) {
        const startedAt = performance.now();
        const { status } = await api.get(pathOf(count), { key });
        if (status !== 200) throw new Error(`A read gave ${status}.`);
        this.#times.push(performance.now() - startedAt);
        await sleep(THINK_MS);
      }
    });
  }

  /** The p99 of all that was read. */
  async stop(): Promise<number> {
    this.#isOver = true;
    await Promise.all(this.#running);
    const sorted = this.#times.sort((left, right) => left - right);
    return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  }
}

export async function memoryOf(product: Product): Promise<number> {
  const { text } = await createClient(product.url).get("/metrics", { key: product.operatorKey });
  const [, bytes] = /^process_resident_memory_bytes (\S+)$/m.exec(text) ?? [];
  if (bytes === undefined) throw new Error("The product does not tell its memory.");
  return Number(bytes);
}
