import { Counter, type Registry } from "prom-client";
import type { LeaseEnd } from "./lease.ts";

const NAME = "billfold_work_batches_total";

export type WorkMetrics = {
  /** Counts a batch by how it ended. */
  note(end: LeaseEnd | "done" | "failed"): void;
};

/** One counter for all kinds of work. */
export function createWorkMetrics(registry: Registry, work: string): WorkMetrics {
  const known = registry.getSingleMetric(NAME);
  const batches =
    known instanceof Counter
      ? known
      : new Counter({
          name: NAME,
          help: "Batches of work that goes on by itself, by how they ended.",
          labelNames: ["work", "end"],
          registers: [registry],
        });
  // The labels are resolved once, because finding them by name at every call costs time.
  const byEnd = {
    done: batches.labels(work, "done"),
    failed: batches.labels(work, "failed"),
    lost: batches.labels(work, "lost"),
    stopped: batches.labels(work, "stopped"),
  };
  return { note: (end) => byEnd[end].inc() };
}
