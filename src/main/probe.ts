import { createServer, type ServerResponse } from "node:http";
import { systemCall } from "#kernel/call.ts";
import { messageOf } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { type Place, placeProblem } from "./place.ts";
import { requireReady } from "./readiness.ts";

/**
 * Metrics and readiness on a port of their own, without a key: for the network that scrapes, not
 * for the one that customers come from. The only door of a process without the role `api`.
 */
export async function startProbe(runtime: Runtime, place: Place): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    answerProbe(runtime, request.url ?? "/", response).catch((error: unknown) => {
      runtime.log.warn({ reason: messageOf(error) }, "probe failed");
      response.writeHead(503).end();
    });
  });
  server.requestTimeout = 5_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(placeProblem(error, place)));
    server.listen(place.port, place.host, resolve);
  });
  return () => new Promise((resolve) => server.close(() => resolve()));
}

async function answerProbe(runtime: Runtime, url: string, response: ServerResponse): Promise<void> {
  if (url === "/metrics") {
    const text = await runtime.metrics.render();
    response.writeHead(200, { "content-type": runtime.metrics.contentType }).end(text);
  } else if (url === "/api/warmup") {
    await requireReady(systemCall(runtime, "service.warmup"));
    response.writeHead(200, { "content-type": "application/json" }).end('{"status":"ok"}');
  } else {
    response.writeHead(404).end();
  }
}
