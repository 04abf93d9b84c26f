import Type from "typebox";
import { databaseUnavailable } from "#kernel/db/database.ts";
import { sealedAnswers } from "#kernel/http/idempotency/idempotency.ts";
import { purgeIdempotentAnswers } from "#kernel/http/idempotency/idempotency-purge.ts";
import { purgeRateLimits } from "#kernel/http/rate-limit/rate-limit.jobs.ts";
import { answer, defineRoute } from "#kernel/http/route.ts";
import { defineModule } from "#kernel/module.ts";
import { sealedCheck } from "./installation.ts";
import { requireReady, serviceStopping } from "./readiness.ts";

const warmup = defineRoute({
  op: "service.warmup",
  method: "GET",
  url: "/api/warmup",
  scope: "public",
  summary: "Whether the service is ready",
  description: "200 when this node and its database are ready to serve.",
  reply: Type.Object({ status: Type.Literal("ok") }, { title: "Warmup" }),
  errors: [databaseUnavailable, serviceStopping],
  async handle(context) {
    await requireReady(context);
    return { status: "ok" };
  },
});

const metrics = defineRoute({
  op: "service.metrics",
  method: "GET",
  url: "/metrics",
  scope: "platform:admin",
  summary: "Metrics in the Prometheus text format",
  description: "Also on a port of its own, without a key, when METRICS_PORT is set.",
  reply: Type.String({ contentMediaType: "text/plain" }),
  example: { reply: 'billfold_http_requests_total{op="service.warmup",status="200"} 1\n' },
  async handle({ runtime }) {
    const text = Buffer.from(await runtime.metrics.render());
    return answer(text, { status: 200, headers: { "content-type": runtime.metrics.contentType } });
  },
});

/** Health of the process, and the background jobs of the kernel. */
export const serviceModule = defineModule({
  name: "service",
  routes: [warmup, metrics],
  jobs: [purgeIdempotentAnswers, purgeRateLimits],
  sealed: [sealedAnswers, sealedCheck],
});
