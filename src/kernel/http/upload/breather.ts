import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** So many chunks take a few milliseconds. A usual chunk has some ten thousand bytes. */
const CHUNKS_PER_TURN = 4_000;

/** The handle of a socket, which Node's types do not declare. */
type Readable = Socket & { readonly _handle?: { readStop(): void; readStart(): void } | null };

/** Paused connections, in the order in which they continue: one in each turn of the event loop. */
const waiting: Readable[] = [];

/**
 * Keeps a sender of tiny chunks from blocking the event loop. Node reads up to 32 times from a
 * connection before it turns to another one, and with chunks of one byte that takes hundreds of
 * milliseconds. The breather stops such a connection after one read, and lets all senders of small
 * chunks continue in turn. Pausing the body or the connection would not help: Node resumes them in
 * the same turn, to fill the body's buffer.
 */
export class Breather {
  readonly #socket: Readable;
  #chunks = 0;

  constructor({ socket }: IncomingMessage) {
    this.#socket = socket;
  }

  count(): void {
    this.#chunks += 1;
    if (this.#chunks < CHUNKS_PER_TURN) return;
    this.#chunks = 0;
    if (waiting.includes(this.#socket)) return;
    this.#socket._handle?.readStop();
    waiting.push(this.#socket);
    if (waiting.length === 1) setImmediate(readOn);
  }
}

function readOn(): void {
  const socket = waiting.shift();
  if (waiting.length > 0) setImmediate(readOn);
  // A connection that was paused by other code meanwhile continues when that code resumes it.
  if (socket?.isPaused() === false) socket._handle?.readStart();
}
