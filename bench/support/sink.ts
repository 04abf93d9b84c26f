import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { monotonicMs } from "./monotonic.ts";

/*
 * The endpoint of the webhook lines, a process of its own: takes every POST and answers at once. It
 * has several ports, because an origin is given only so many connections.
 */

const ORIGINS = 20;

let count = 0;
/** Requests that are answered when the count has been reached: asking again and again costs time. */
const awaited: { readonly count: number; readonly response: ServerResponse }[] = [];
const noted: { readonly at: number; readonly body: string }[] = [];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url } = request;
  if (method === "POST") {
    const at = monotonicMs();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    await once(request, "end");
    count += 1;
    while ((awaited[0]?.count ?? count + 1) <= count) awaited.shift()?.response.end();
    if (url === "/noted") noted.push({ at, body: Buffer.concat(chunks).toString() });
    response.end();
    return;
  }
  if (url === "/origins") response.end(JSON.stringify(origins));
  else if (url === "/count") response.end(String(count));
  else if (url?.startsWith("/reached/")) tellWhenReached(Number(url.slice(9)), response);
  else if (url === "/noted") response.end(JSON.stringify(noted.splice(0)));
  else response.end("ready");
}

function tellWhenReached(wanted: number, response: ServerResponse): void {
  if (wanted <= count) {
    response.end();
    return;
  }
  awaited.push({ count: wanted, response });
  awaited.sort((left, right) => left.count - right.count);
}

async function open(port: number) {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  // Longer than anybody who posts keeps a connection: none must end under a request.
  server.keepAliveTimeout = 60_000;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const servers = await Promise.all(Array.from({ length: ORIGINS }, () => open(0)));
const origins = servers.map(
  (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
);
// Last: whoever waits for it may ask for the others.
servers.push(await open(Number(process.env.PORT)));
process.once("SIGTERM", () => process.exit(0));
