import type { Socket } from "node:net";

/** Interim answers to one request may have as many bytes as the headers of an answer. */
const INTERIM_BYTES_MAX = 16_384;
const STATUS_LINE = /^HTTP\/1\.1 1(?!01)\d\d/;
/** The number of bytes that is enough to recognise an interim answer. */
const STATUS_LINE_BYTES = "HTTP/1.1 100".length;
/** The position of the status. It is checked first, because nearly all answers have a 2 there. */
const STATUS_AT = "HTTP/1.1 ".length;
const ONE = "1".charCodeAt(0);
const END_OF_HEADERS = "\r\n\r\n";
const NOTHING = Buffer.alloc(0);

/**
 * Removes the interim answers (such as `100 Continue`) before an answer. HTTP allows a receiver to
 * send any number of them without being asked, and some do; undici closes the connection at `100
 * Continue`. Only the bytes between the end of a request and the start of its answer are examined,
 * so a body that looks like an interim answer stays unchanged. `101 Switching Protocols` is not
 * removed, because it is an error here.
 */
export function leaveOutInterimAnswers(socket: Socket): void {
  const filter = new InterimFilter();
  const write = socket.write;
  // The HTTP library writes a whole request before it reads, so after a write an answer is
  // expected.
  socket.write = ((chunk: Buffer, encoding?: BufferEncoding, done?: () => void) => {
    filter.expectAnswer();
    return write.call(socket, chunk, encoding, done);
  }) as typeof write;

  const read = socket.read;
  socket.read = (size) => {
    for (;;) {
      const chunk: Buffer | null = read.call(socket, size);
      if (chunk === null) return null;
      const rest = filter.take(chunk);
      // Everything was removed, or is too short to be judged; there may be more to read at once.
      if (rest.length > 0) return rest;
    }
  };
}

/** Gets the bytes of a connection in order, and returns them without interim answers. */
class InterimFilter {
  #isBeforeAnswer = false;
  #held: Buffer = NOTHING;
  #leftOut = 0;

  expectAnswer(): void {
    this.#isBeforeAnswer = true;
    this.#leftOut = 0;
  }

  take(chunk: Buffer): Buffer {
    if (!this.#isBeforeAnswer) return chunk;
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = NOTHING;
    while (isInterim(rest)) {
      const end = rest.indexOf(END_OF_HEADERS);
      const known = end < 0 ? rest.length : end + END_OF_HEADERS.length;
      // A receiver that sends too many interim answers is left to the HTTP library, which refuses
      // it.
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
    return NOTHING;
  }
}

function isInterim(bytes: Buffer): boolean {
  return (
    bytes[STATUS_AT] === ONE && STATUS_LINE.test(bytes.toString("latin1", 0, STATUS_LINE_BYTES))
  );
}
