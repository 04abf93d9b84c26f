import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { ByteRoom } from "../../byte-room.ts";
import { ProblemError } from "../../errors.ts";
import { freeMemory } from "../../free-memory.ts";
import type { Log } from "../../log.ts";
import { BODY_SIZE_BYTES_MAX, bodySizeBytesMax, bodyTooLarge } from "../body-size.ts";
import { problem } from "../problem.ts";
import { isRawType } from "../read-body.ts";
import { noRoom, Spool, SpooledBody } from "./spool.ts";

const MIB = 1024 * 1024;

/** Of bodies from disk that are worked on, counted by what they cost while they are. */
const MEMORY_BYTES_MAX = 128 * MIB;
/** Its bytes, its text, the values in it, and what they are made into. */
const JSON_COST = 4;
const WAIT_MS_MAX = 30_000;

/** All that is collected of bodies that are not whole yet; beyond, even those of usual size go to disk. */
const COLLECTED_BYTES_MAX = 64 * MIB;
const COLLECTED_SMALL_BYTES = 64 * 1024;

/** Whoever is turned away while still sending reads the answer only when done: closing would reset it. */
const DISCARD_MS_MAX = 15_000;

type Done = (error: Error | null, body?: Buffer | SpooledBody) => void;

/**
 * The bodies of requests, from their first byte to the end of the work on them, within bounds of the
 * whole process: those of usual size are collected in memory and never wait; large ones are written to
 * disk as they arrive, and come back a few at a time.
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
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = () => {
      payload.off("data", onData).off("end", onEnd).off("error", onError);
      this.#collected -= size;
    };
    const onEnd = () => {
      stop();
      done(null, Buffer.concat(chunks, size));
    };
    const onError = () => {
      stop();
      done(notWhole());
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      this.#collected += chunk.length;
      chunks.push(chunk);
      if (size > sizeBytesMax) {
        stop();
        done(bodyTooLarge());
      } else if (this.#isLarge(size)) {
        stop();
        payload.pause();
        this.#toDisk(request, payload, chunks, sizeBytesMax).then((body) => done(null, body), done);
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
    begun: Buffer[],
    sizeBytesMax: number,
  ): Promise<SpooledBody> {
    let body: SpooledBody | undefined;
    try {
      body = await this.#spool.open(groupOf(request));
      for (const chunk of begun.splice(0)) await body.append(chunk);
      // The connection is still needed for the answer.
      for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
        if (body.sizeBytes + chunk.length > sizeBytesMax) throw bodyTooLarge();
        await body.append(chunk);
      }
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

  /** Runs work on a request whose body is there: at once, or, with a large one, when there is room. */
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
      // Its caller has left meanwhile: nobody would learn what became of it.
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
      // Of usual size, and on disk only because there were so many.
      if (body.sizeBytes <= BODY_SIZE_BYTES_MAX) return await run();
      return await this.#room.run(groupOf(request), costOf(request, body.sizeBytes), run);
    } finally {
      await body.close();
    }
  }
}

/** Whoever belongs to no tenant shares one place. */
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

function notWhole(): ProblemError {
  return problem("malformed", "The body did not arrive whole.");
}

/** Resolves at its end, or when it has taken too long. */
function discard(payload: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      payload.off("end", settle).off("close", settle);
      resolve();
    };
    const timer = setTimeout(settle, DISCARD_MS_MAX);
    payload
      .on("end", settle)
      .on("close", settle)
      .on("error", () => undefined);
    payload.resume();
  });
}
