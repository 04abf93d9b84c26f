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
  const attempts = new Counter({
    name: "billfold_webhook_attempts_total",
    help: "Attempts to deliver an event, by what became of the delivery.",
    labelNames: ["state"],
    registers: [registry],
  });
  const waits = new Histogram({
    name: "billfold_webhook_wait_seconds",
    help: "Time from an event to the first attempt to deliver it.",
    buckets: WAIT_BUCKETS_SECONDS,
    registers: [registry],
  });
  // The labels are resolved once, because finding them by name at every call costs time.
  const byState = {
    delivered: attempts.labels("delivered"),
    failed: attempts.labels("failed"),
    retrying: attempts.labels("retrying"),
    unsent: attempts.labels("unsent"),
  };
  return {
    record(delivery, { outcome }, startedAt) {
      byState[outcome?.state ?? "unsent"].inc();
      if (delivery.isRetry || outcome === undefined) return;
      const waitedMs = delivery.target.clockMs + startedAt - delivery.createdAt.getTime();
      waits.observe(Math.max(0, waitedMs) / 1_000);
    },
  };
}
