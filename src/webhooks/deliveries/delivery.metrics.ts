import { Counter, Histogram } from "prom-client";
import type { Runtime } from "#kernel/runtime.ts";
import type { Decision } from "./delivery.outcome.ts";
import type { ClaimedDelivery } from "./delivery.schema.ts";

const WAIT_BUCKETS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300];

export type DeliveryMetrics = {
  /** `startedAt` is a time of `performance.now`. */
  record(delivery: ClaimedDelivery, decision: Decision, startedAt: number): void;
};

export function createDeliveryMetrics({ metrics: { registry } }: Runtime): DeliveryMetrics {
  // Counted in plain numbers, because a counter of prom-client looks up its labels at every call.
  const counts = { delivered: 0, failed: 0, retrying: 0, unsent: 0 };
  new Counter({
    name: "billfold_webhook_attempts_total",
    help: "Attempts to deliver an event, by what became of the delivery.",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [state, count] of Object.entries(counts)) this.inc({ state }, count);
    },
  });
  const waits = new Histogram({
    name: "billfold_webhook_wait_seconds",
    help: "Time from an event to the first attempt to deliver it.",
    buckets: WAIT_BUCKETS_SECONDS,
    registers: [registry],
  });
  return {
    record(delivery, { outcome }, startedAt) {
      counts[outcome?.state ?? "unsent"] += 1;
      if (delivery.isRetry || outcome === undefined) return;
      const waitedMs = delivery.target.clockMs + startedAt - delivery.createdAt.getTime();
      waits.observe(Math.max(0, waitedMs) / 1_000);
    },
  };
}
