import type { FastifyReply, FastifyRequest } from "fastify";
import { defineError, ProblemError } from "../errors.ts";
import type { Log } from "../log.ts";
import { Places } from "../places.ts";
import { authorize } from "./admission.ts";
import {
  type EventStream,
  runStream,
  STREAM_TIMES,
  STREAM_TYPE,
  type StreamHandle,
} from "./event-stream.ts";
import type { HttpPorts } from "./ports.ts";
import type { Route } from "./route.ts";

export const STREAMS_PER_TENANT_MAX = 20;
export const STREAMS_MAX = 500;
/** Streams end after some minutes, so places become free often. */
const RETRY_AFTER_SECONDS = 10;

export const streamsTooMany = defineError({
  code: "stream.too-many",
  status: 429,
  title: "Too many open streams",
  detail: ({ whose, most }: { whose: string; most: number }) =>
    `${whose} has ${most} open streams, as many as it can have. Close one, or try again later.`,
  headers: () => ({ "retry-after": String(RETRY_AFTER_SECONDS) }),
});

type Opened = {
  readonly route: Route;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly stream: EventStream;
  readonly ports: HttpPorts;
};

/** The open streams of this process: limits their number, and ends them when the process stops. */
export class StreamHost {
  readonly #log: Log;
  readonly #places = new Places({
    perGroupMax: STREAMS_PER_TENANT_MAX,
    placesMax: STREAMS_MAX,
    refuse: (whose, most) => streamsTooMany({ whose, most }),
  });
  readonly #open = new Map<StreamHandle, { readonly tenantId: string | undefined }>();
  #isClosed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Takes a place before any work for the stream is done; returns the function that frees it. */
  enter(tenantId: string): () => void {
    return this.#places.enter(tenantId);
  }

  /** Resolves when the stream has ended, for whatever reason. */
  async run({ route, request, reply, stream, ports }: Opened): Promise<void> {
    reply.header("content-type", `${STREAM_TYPE}; charset=utf-8`);
    // Proxies must not buffer, compress or store the messages.
    reply.header("cache-control", "no-store, no-transform").header("x-accel-buffering", "no");
    if (request.method === "HEAD") {
      reply.send();
      return;
    }
    reply.hijack();
    let opened: StreamHandle | undefined;
    try {
      reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
      await runStream(reply.raw, {
        source: stream.source,
        times: STREAM_TIMES,
        isAllowed: () => isAllowed(route, request, ports),
        onOpen: (handle) => {
          opened = handle;
          this.#open.set(handle, { tenantId: request.state.tenantId });
          if (this.#isClosed) handle.end();
        },
      });
    } catch (error) {
      // The client reconnects and continues after its last message; a lasting problem is reported
      // then.
      const { requestId } = request.state;
      if (!(error instanceof ProblemError)) {
        this.#log.error({ err: error, requestId, op: route.op }, "a stream failed");
      }
    } finally {
      if (opened !== undefined) this.#open.delete(opened);
    }
  }

  /** Ends all streams; the clients reconnect to another process or to the next one. */
  close(): void {
    this.#isClosed = true;
    for (const { end } of this.#open.keys()) end();
  }

  /**
   * Checks the streams of one tenant, or all if `tenantId` is undefined, after rights were changed.
   */
  checkRights(tenantId: string | undefined): void {
    // Deferred until all other listeners of the same signal have emptied their caches.
    setImmediate(() => {
      for (const [{ check }, stream] of this.#open) {
        if (tenantId === undefined || stream.tenantId === tenantId) check();
      }
    });
  }
}

/** If the database is unavailable, the right counts as kept. */
async function isAllowed(
  route: Route,
  request: FastifyRequest,
  ports: HttpPorts,
): Promise<boolean> {
  if (route.scope === "public") return true;
  try {
    await authorize(route, request, ports);
    return true;
  } catch (error) {
    return error instanceof ProblemError && error.status >= 500;
  }
}
