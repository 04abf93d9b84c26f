import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

const ASKED_BYTES = 96 * 1024 * 1024;
const ASKED_TIMES_MAX = 8;
const LOOK_MS = 20;
const LOOKS_PER_REQUEST = 10;
/**
 * Two collections, because the first may have begun earlier and keeps what was in use at that time.
 */
const COLLECTIONS = 2;

/**
 * Frees memory that is no longer used, in small steps that do not block other work. Node collects
 * garbage only when new memory is requested, and an idle process requests none: 100 MB would stay
 * allocated. So this function requests memory that it never writes to, which therefore takes no
 * real memory.
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
    // If not even that memory can be allocated, Node collects garbage by itself.
  } finally {
    observer.disconnect();
  }
}
