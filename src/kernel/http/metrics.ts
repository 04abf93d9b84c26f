import type { FastifyReply, FastifyRequest } from "fastify";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Database } from "../db/database.ts";
import { operationOf } from "./operation.ts";

export type Metrics = {
  record(request: FastifyRequest, reply: FastifyReply): void;
  /** Returns the metrics in the text format of Prometheus. */
  render(): Promise<string>;
  readonly contentType: string;
  readonly registry: Registry;
};

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

let registryOfProcess: Registry | undefined;

/**
 * What is measured of the process itself: processor, memory, garbage collection, delay of the event loop.
 * Measured once however many applications run in the process, because the library never stops: it would
 * keep every application of a test in memory, and tell each of them of every garbage collection.
 */
function processRegistry(): Registry {
  if (registryOfProcess === undefined) {
    registryOfProcess = new Registry();
    collectDefaultMetrics({ register: registryOfProcess });
  }
  return registryOfProcess;
}

export function createMetrics(db: Database): Metrics {
  const registry = new Registry();
  const ofProcess = processRegistry();
  const duration = new Histogram({
    name: "billfold_http_request_duration_seconds",
    help: "Time from the first byte of a request to the last of its answer.",
    labelNames: ["op"],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  const requests = new Counter({
    name: "billfold_http_requests_total",
    help: "Requests by operation and status.",
    labelNames: ["op", "status"],
    registers: [registry],
  });
  new Gauge({
    name: "billfold_db_connections",
    help: "Connections of the database pool by state.",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      const { total, idle, waiting } = db.stats();
      this.set({ state: "used" }, total - idle);
      this.set({ state: "idle" }, idle);
      this.set({ state: "waiting" }, waiting);
    },
  });

  return {
    registry,
    contentType: registry.contentType,
    render: async () => `${await ofProcess.metrics()}\n${await registry.metrics()}`,
    record(request, reply) {
      const op = operationOf(request) ?? "none";
      duration.observe({ op }, (performance.now() - request.state.startedAt) / 1_000);
      requests.inc({ op, status: reply.statusCode });
    },
  };
}
