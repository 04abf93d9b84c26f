import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { beginToWait } from "./pause.ts";
import { startWait } from "./slowness.ts";

export type Received = {
  readonly at: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as they came. */
  readonly raw: Buffer;
  readonly body: Record<string, unknown>;
};

/** How the endpoint answers; `hang` never does. */
export type Reply =
  | number
  | "hang"
  | { status: number; headers?: Record<string, string>; body?: string };

type Owner = { after(undo: () => Promise<void>): void };

const WAIT_MS = 60_000;

/** A customer's endpoint on a real socket: keeps what it gets and answers as it is told. */
export async function startReceiver(owner: Owner) {
  const received: Received[] = [];
  let reply: (request: Received) => Reply | Promise<Reply> = () => 200;
  const server = createServer((request, response) => {
    void take(request).then(async (taken) => {
      received.push(taken);
      send(response, await reply(taken));
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  owner.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    ids: () => received.map(({ body }) => String(body.id)),
    answer(how: Reply | ((request: Received) => Reply | Promise<Reply>)): void {
      reply = typeof how === "function" ? how : () => how;
    },
    /** Resolves with what has come once there is enough of it. */
    async waitFor(count: number, waitMs = WAIT_MS): Promise<readonly Received[]> {
      await until(
        () => received.length >= count,
        () => `${received.length} of ${count} came`,
        waitMs,
      );
      return received;
    },
  };
}
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Waits for a condition; fails with what it waited for, or with what it saw last. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  explain: string | (() => string) = "it did not come true",
  waitMs = WAIT_MS,
): Promise<void> {
  const isOver = startWait(waitMs);
  const pause = beginToWait();
  while (!(await isTrue())) {
    if (isOver()) {
      throw new Error(`Waited ${waitMs} ms: ${typeof explain === "string" ? explain : explain()}`);
    }
    await pause();
  }
}

/** As the documentation tells receivers to check it. */
export function isSignedBy(secret: string, { headers, raw }: Received): boolean {
  const expected = createHmac("sha256", secret).update(raw).digest();
  const sent = Buffer.from(headers["x-service-signature"] ?? "", "hex");
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}

async function take(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  return {
    at: Date.now(),
    path: request.url ?? "",
    headers: request.headers as Record<string, string>,
    raw,
    body: JSON.parse(raw.toString() || "{}"),
  };
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply === "hang") return;
  if (typeof reply === "number") {
    response.writeHead(reply).end();
    return;
  }
  response.writeHead(reply.status, reply.headers).end(reply.body);
}
