import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

const ASKED_BYTES = 96 * 1024 * 1024;
const ASKED_TIMES_MAX = 8;
const LOOK_MS = 20;
const LOOKS_PER_REQUEST = 10;
/** The first may have been under way already, and keeps what was in use when it began. */
const COLLECTIONS = 2;

/**
 * Frees memory that is no longer used, in small steps beside other work. Node does so when it is asked
 * for more, and a process at rest asks for none: 100 MB stay for as long as nobody comes. So it is asked,
 * for memory that is never written to and therefore takes none.
 */
export async function freeMemory(): Promise<void> {
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail } = entry as PerformanceEntry & { readonly detail?: { kind?: number } };
      if (detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections += 1;
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  const asked: Buffer[] = [];
  try {
    while (collections < COLLECTIONS && asked.length < ASKED_TIMES_MAX) {
      asked.push(Buffer.allocUnsafeSlow(ASKED_BYTES));
      const before = collections;
      for (let looks = 0; looks < LOOKS_PER_REQUEST && collections === before; looks += 1) {
        await sleep(LOOK_MS);
      }
    }
  } catch {
    // Where not even that much can be asked for, Node looks for what it can free by itself.
  } finally {
    observer.disconnect();
  }
}
