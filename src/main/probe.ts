import { createServer, type ServerResponse } from "node:http";
import { systemCall } from "#kernel/call.ts";
import { messageOf } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { type ListenAddress, listenProblem } from "./listen-address.ts";
import { requireReady } from "./readiness.ts";

/**
 * Serves metrics and readiness on a separate port without a key: for the monitoring network, not
 * for customers. A process without the role `api` listens on no other port.
 */
export async function startProbe(
  runtime: Runtime,
  address: ListenAddress,
): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    answerProbe(runtime, request.url ?? "/", response).catch((error: unknown) => {
      runtime.log.warn({ reason: messageOf(error) }, "probe failed");
      response.writeHead(503).end();
    });
  });
  server.requestTimeout = 5_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(listenProblem(error, address)));
    server.listen(address.port, address.host, resolve);
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
