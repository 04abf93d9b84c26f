import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import {
  runStream,
  STREAM_TIMES,
  STREAM_TYPE,
  type StreamHandle,
  type StreamMessage,
} from "#kernel/http/event-stream.ts";
import { problem } from "#kernel/http/problem.ts";
import type { World } from "../simulator.world.ts";

const STREAMS_MAX = 50;
/** Changes come in crowds, and a page that is told ten times a second looks alive. */
const PAUSE_MS = 100;

/** Tells open pages that something has changed; they then ask what. */
export class ChangeStreams {
  readonly #open = new Set<StreamHandle>();

  async run(world: World, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (this.#open.size >= STREAMS_MAX) {
      throw problem("rateLimited", `${STREAMS_MAX} pages are open already.`);
    }
    reply.hijack();
    reply.raw.writeHead(200, {
      "content-type": `${STREAM_TYPE}; charset=utf-8`,
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
      "x-request-id": request.state.requestId,
    });
    let opened: StreamHandle | undefined;
    try {
      await runStream(reply.raw, {
        source: (signal) => changesOf(world, signal),
        times: STREAM_TIMES,
        isAllowed: async () => true,
        onOpen: (handle) => {
          opened = handle;
          this.#open.add(handle);
        },
      });
    } finally {
      if (opened !== undefined) this.#open.delete(opened);
    }
  }

  close(): void {
    for (const { end } of this.#open) end();
  }
}

async function* changesOf(
  world: World,
  signal: AbortSignal,
): AsyncGenerator<readonly StreamMessage[]> {
  const ended = once(signal, "abort").catch(() => undefined);
  let told = -1;
  while (!signal.aborted) {
    if (world.revision === told) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const unwatch = world.watch(resolve);
      await Promise.race([promise, ended]);
      unwatch();
    } else {
      told = world.revision;
      yield [{ id: String(told), event: "changed", data: String(told) }];
    }
    await Promise.race([sleep(PAUSE_MS), ended]);
  }
}
