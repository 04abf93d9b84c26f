import type { Socket } from "node:net";

/** As many bytes of interim answers to one request as a whole set of headers may have. */
const INTERIM_BYTES_MAX = 16_384;
const STATUS_LINE = /^HTTP\/1\.1 1(?!01)\d\d/;
/** So many bytes tell an interim answer from all others. */
const STATUS_LINE_BYTES = "HTTP/1.1 100".length;
const END_OF_HEADERS = "\r\n\r\n";

/**
 * Leaves out the interim answers (`100 Continue` and its like) that stand before an answer. HTTP allows a
 * receiver to send any number of them unasked, and some do; undici breaks the connection at `100 Continue`.
 * Only the bytes between the end of a request and the beginning of its answer are looked at, so a body that
 * reads like an interim answer stays whole. `101 Switching Protocols` is no interim answer but a fault.
 */
export function leaveOutInterimAnswers(socket: Socket): void {
  const filter = new InterimFilter();
  const write = socket.write;
  // The HTTP library writes a whole request before it reads, so a write means that an answer is to begin.
  socket.write = ((...given: Parameters<typeof write>) => {
    filter.expectAnswer();
    return write.apply(socket, given);
  }) as typeof write;

  const read = socket.read;
  socket.read = (size) => {
    for (;;) {
      const chunk: Buffer | null = read.call(socket, size);
      if (chunk === null) return null;
      const rest = filter.take(chunk);
      // All of it was left out, or is too little to be judged: there may be more to read at once.
      if (rest.length > 0) return rest;
    }
  };
}

/** Sees the bytes of a connection in the order they arrive, and gives back those that count. */
class InterimFilter {
  #isBeforeAnswer = false;
  #held: Buffer = Buffer.alloc(0);
  #leftOut = 0;

  expectAnswer(): void {
    this.#isBeforeAnswer = true;
    this.#leftOut = 0;
  }

  take(chunk: Buffer): Buffer {
    if (!this.#isBeforeAnswer) return chunk;
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    while (isInterim(rest)) {
      const end = rest.indexOf(END_OF_HEADERS);
      const known = end < 0 ? rest.length : end + END_OF_HEADERS.length;
      // A receiver that never comes to its answer is left to the HTTP library, which refuses it.
      if (this.#leftOut + known > INTERIM_BYTES_MAX) break;
      if (end < 0) return this.#hold(rest);
      this.#leftOut += known;
      rest = rest.subarray(known);
    }
    if (rest.length < STATUS_LINE_BYTES) return this.#hold(rest);
    this.#isBeforeAnswer = false;
    return rest;
  }

  #hold(bytes: Buffer): Buffer {
    this.#held = bytes;
    return Buffer.alloc(0);
  }
}

function isInterim(bytes: Buffer): boolean {
  return STATUS_LINE.test(bytes.toString("latin1", 0, STATUS_LINE_BYTES));
}
