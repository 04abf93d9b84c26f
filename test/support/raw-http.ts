import { connect } from "node:net";

export type RawAnswer = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any;
};

export type RawExchange = {
  readonly answers: readonly RawAnswer[];
  readonly text: string;
  /** The server ended the connection; false when it was still open after the wait. */
  readonly isClosed: boolean;
  readonly sentBytes: number;
};

type Chunk = string | Uint8Array;
type Options = { readonly waitMs?: number };

/**
 * Bytes over a socket, for what no HTTP client would send. Ends when the server hangs up, or when
 * nothing has come for a while after the first answer.
 */
export function exchange(
  url: string,
  chunks: Iterable<Chunk>,
  { waitMs = 3_000 }: Options = {},
): Promise<RawExchange> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const received: Buffer[] = [];
  let sentBytes = 0;

  return new Promise((resolve) => {
    const finish = (isClosed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      const text = Buffer.concat(received).toString("latin1");
      resolve({ answers: readAnswers(text), text, isClosed, sentBytes });
    };
    let timer = setTimeout(finish, waitMs, false);
    socket.on("data", (data) => {
      received.push(data);
      clearTimeout(timer);
      timer = setTimeout(finish, Math.min(waitMs, 300), false);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => finish(true));
    socket.on("connect", () => {
      const source = chunks[Symbol.iterator]();
      const pump = () => {
        for (;;) {
          const next = source.next();
          if (next.done === true || !socket.writable) return;
          sentBytes += next.value.length;
          if (!socket.write(next.value)) {
            socket.once("drain", pump);
            return;
          }
        }
      };
      pump();
    });
  });
}

function readAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  for (;;) {
    const start = /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n/.exec(rest);
    const end = rest.indexOf("\r\n\r\n");
    if (start === null || end === -1) return answers;
    const headers = new Map<string, string>();
    for (const line of rest.slice(start[0].length, end).split("\r\n")) {
      const colon = line.indexOf(":");
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    const length = Number(headers.get("content-length") ?? 0);
    const content = rest.slice(end + 4, end + 4 + length);
    answers.push({ status: Number(start[1]), headers, body: parse(content) });
    rest = rest.slice(end + 4 + length);
  }
}

function parse(content: string): unknown {
  try {
    return JSON.parse(Buffer.from(content, "latin1").toString("utf8"));
  } catch {
    return undefined;
  }
}
