import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { ByteCollector } from "../../byte-collector.ts";
import { ByteRoom } from "../../byte-room.ts";
import { ProblemError } from "../../errors.ts";
import { freeMemory } from "../../free-memory.ts";
import type { Log } from "../../log.ts";
import { BODY_SIZE_BYTES_MAX, bodySizeBytesMax, bodyTooLarge } from "../body-size.ts";
import { isRawType } from "../read-body.ts";
import { Breather } from "./breather.ts";
import { IncomingUpload } from "./incoming-upload.ts";
import { discard, notWhole } from "./rest-of-body.ts";
import { noRoom, Spool, SpooledBody } from "./spool.ts";

const MIB = 1024 * 1024;

/** Memory for bodies from disk that are being worked on, by their estimated cost. */
const MEMORY_BYTES_MAX = 128 * MIB;
/** A JSON body is in memory about four times: as bytes, as text, as values, and as the results. */
const JSON_COST = 4;
const WAIT_MS_MAX = 30_000;

/**
 * Memory for all bodies that are still arriving; beyond it, bodies of usual size go to disk too.
 */
const COLLECTED_BYTES_MAX = 64 * MIB;
const COLLECTED_SMALL_BYTES = 64 * 1024;

/**
 * Bytes are collected up to this size before a write to disk, because a body may arrive byte by
 * byte.
 */
const WRITTEN_BYTES_MIN = 64 * 1024;

type Done = (error: Error | null, body?: Buffer | SpooledBody | IncomingUpload) => void;

/**
 * Holds the bodies of requests from the first byte to the end of the work, within limits for the
 * whole process: bodies of usual size are collected in memory and never wait; large ones are
 * written to disk as they arrive, and are read back a few at a time.
 */
export class Bodies {
  readonly #spool: Spool;
  readonly #log: Log;
  readonly #room = new ByteRoom({
    bytesMax: MEMORY_BYTES_MAX,
    waitMsMax: WAIT_MS_MAX,
    refuse: noRoom,
    sweep: freeMemory,
  });
  #collected = 0;

  constructor(folder: string, log: Log) {
    this.#spool = new Spool(folder);
    this.#log = log;
  }

  receive(request: FastifyRequest, payload: IncomingMessage, done: Done): void {
    const sizeBytesMax = sizeBytesMaxOf(request);
    if (Number(request.headers["content-length"]) > sizeBytesMax) {
      done(bodyTooLarge());
      return;
    }
    if (request.routeOptions.config.route?.upload !== undefined) {
      done(null, new IncomingUpload(payload, sizeBytesMax));
      return;
    }
    const collector = new ByteCollector();
    const breather = new Breather(payload);
    let size = 0;
    const stop = () => {
      payload.off("data", onData).off("end", onEnd).off("error", onError);
      this.#collected -= size;
    };
    const onEnd = () => {
      stop();
      done(null, collector.take());
    };
    const onError = () => {
      stop();
      done(notWhole());
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      this.#collected += chunk.length;
      collector.add(chunk);
      if (size > sizeBytesMax) {
        stop();
        done(bodyTooLarge());
      } else if (this.#isLarge(size)) {
        stop();
        payload.pause();
        this.#toDisk(request, payload, collector, sizeBytesMax).then(
          (body) => done(null, body),
          done,
        );
      } else {
        breather.count();
      }
    };
    payload.on("data", onData).on("end", onEnd).on("error", onError);
  }

  #isLarge(size: number): boolean {
    if (size > BODY_SIZE_BYTES_MAX) return true;
    return size > COLLECTED_SMALL_BYTES && this.#collected > COLLECTED_BYTES_MAX;
  }

  async #toDisk(
    request: FastifyRequest,
    payload: IncomingMessage,
    collector: ByteCollector,
    sizeBytesMax: number,
  ): Promise<SpooledBody> {
    let body: SpooledBody | undefined;
    try {
      body = await this.#spool.open(groupOf(request));
      await moveTo(body, collector);
      // The iterator must not destroy the connection, which is needed for the answer.
      for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
        collector.add(chunk);
        if (body.sizeBytes + collector.sizeBytes > sizeBytesMax) throw bodyTooLarge();
        if (collector.sizeBytes >= WRITTEN_BYTES_MIN) await moveTo(body, collector);
      }
      await moveTo(body, collector);
      return body;
    } catch (error) {
      await body?.close();
      throw await this.#turnAway(payload, error);
    }
  }

  async #turnAway(payload: IncomingMessage, error: unknown): Promise<ProblemError> {
    if (payload.errored !== null || payload.destroyed) return notWhole();
    if (error instanceof ProblemError && error.status < 500) return error;
    if (!(error instanceof ProblemError)) {
      this.#log.error({ err: error }, "a large body could not be written to disk");
    }
    await discard(payload);
    return error instanceof ProblemError ? error : noRoom();
  }

  /**
   * Runs work on a request whose body is complete: at once, or, for a large body, when there is
   * memory.
   */
  whole<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result> {
    const { body } = request;
    return body instanceof SpooledBody ? this.#fromDisk(request, body, work) : work();
  }

  async #fromDisk<Result>(
    request: FastifyRequest,
    body: SpooledBody,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const run = async () => {
      // The caller has disconnected while the body waited, so nobody would get the answer.
      if (request.raw.socket.destroyed) throw notWhole();
      request.body = await body.read();
      await body.close();
      try {
        return await work();
      } finally {
        request.body = undefined;
      }
    };
    try {
      // A body of usual size, which is on disk only because too many arrived at once.
      if (body.sizeBytes <= BODY_SIZE_BYTES_MAX) return await run();
      return await this.#room.run(groupOf(request), costOf(request, body.sizeBytes), run);
    } finally {
      await body.close();
    }
  }
}

async function moveTo(body: SpooledBody, collector: ByteCollector): Promise<void> {
  for (const part of collector.takeParts()) await body.append(part);
}

/** Requests without a tenant share one group. */
function groupOf({ state }: FastifyRequest): string {
  return state.tenantId ?? "";
}

function costOf(request: FastifyRequest, sizeBytes: number): number {
  const { route } = request.routeOptions.config;
  return route !== undefined && isRawType(route, request) ? sizeBytes : sizeBytes * JSON_COST;
}

function sizeBytesMaxOf(request: FastifyRequest): number {
  const { config, bodyLimit } = request.routeOptions;
  return config.route === undefined ? bodyLimit : bodySizeBytesMax(config.route);
}
