import type { IncomingMessage } from "node:http";
import { defineError } from "../../errors.ts";
import { Places } from "../../places.ts";
import { bodyTooLarge } from "../body-size.ts";
import { problem } from "../problem.ts";
import { Breather } from "./breather.ts";
import { discard, notWhole } from "./rest-of-body.ts";

/** The sender may pause for so long; the time in which we write what came does not count. */
const PAUSE_MS_MAX = 30_000;
const WHOLE_MS_MAX = 60 * 60_000;

const UPLOADS_PER_TENANT_MAX = 8;
const UPLOADS_MAX = 100;
const RETRY_AFTER_SECONDS = 10;

export const uploadsTooMany = defineError({
  code: "upload.too-many",
  status: 429,
  title: "Too many uploads at once",
  detail: ({ whose, most }: { whose: string; most: number }) =>
    `${whose} has ${most} uploads under way, as many as it can have. Try again when one has ended.`,
  headers: () => ({ "retry-after": String(RETRY_AFTER_SECONDS) }),
});

/** The places for uploads in one process. */
export function createUploadPlaces(): Places {
  return new Places({
    perGroupMax: UPLOADS_PER_TENANT_MAX,
    placesMax: UPLOADS_MAX,
    refuse: (whose, most) => uploadsTooMany({ whose, most }),
  });
}

/** The connections on which an upload arrives. */
const arriving = new WeakSet<object>();

/** True if the time limit of usual requests does not hold for this connection at the moment. */
export function isUploading(socket: object): boolean {
  return arriving.has(socket);
}

/**
 * A body that is taken while it arrives, because it is too large to be kept anywhere before. It has
 * time limits of its own: a large file over a slow line takes longer than any other request.
 */
export class IncomingUpload {
  readonly #payload: IncomingMessage;
  readonly #sizeBytesMax: number;

  constructor(payload: IncomingMessage, sizeBytesMax: number) {
    this.#payload = payload;
    this.#sizeBytesMax = sizeBytesMax;
  }

  /**
   * Hands the bytes to `take`. If that fails, the rest is read and dropped for some seconds, because
   * a sender that is still sending reads no answer.
   */
  async receive<Result>(take: (chunks: AsyncIterable<Buffer>) => Promise<Result>): Promise<Result> {
    const { socket } = this.#payload;
    arriving.add(socket);
    try {
      return await take(this.#chunks());
    } catch (error) {
      if (isBroken(this.#payload)) throw notWhole();
      if (!this.#payload.readableEnded) await discard(this.#payload);
      throw error;
    } finally {
      arriving.delete(socket);
    }
  }

  async *#chunks(): AsyncGenerator<Buffer, void, undefined> {
    const breather = new Breather(this.#payload);
    const endsAt = performance.now() + WHOLE_MS_MAX;
    // The iterator must not destroy the connection, which is needed for the answer.
    const chunks = this.#payload.iterator({ destroyOnReturn: false });
    for (let size = 0; ; ) {
      const waitMs = Math.min(PAUSE_MS_MAX, endsAt - performance.now());
      const { done, value } = await within(waitMs, chunks.next());
      if (done === true) return;
      size += value.length;
      if (size > this.#sizeBytesMax) throw bodyTooLarge();
      breather.count();
      yield value;
    }
  }
}

function isBroken(payload: IncomingMessage): boolean {
  return payload.errored !== null || (payload.destroyed && !payload.readableEnded);
}

function within<Result>(ms: number, promise: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const late = () => {
      const headers = { connection: "close" };
      reject(problem("timeout", "The body did not arrive in time.", { headers }));
    };
    const timer = setTimeout(late, Math.max(0, ms));
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
