import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** What a server answers whoever connects: an error of its own, or facts about itself. */
export type FakePostgresAnswer =
  | { readonly code: string; readonly message: string }
  | { readonly facts: readonly string[] };

export type FakePostgres = { readonly port: number; stop(): Promise<void> };

const SSL_REQUEST = 80_877_103;
const TYPE_TEXT = 25;
const TYPE_BOOLEAN = 16;

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`);

function int(value: number, bytes: 2 | 4): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeIntBE(value, 0, bytes);
  return buffer;
}

const READY = message("Z", Buffer.from("I"));

function refusal(code: string, reason: string): Buffer {
  return message("E", text("SFATAL"), text(`C${code}`), text(`M${reason}`), Buffer.from("\0"));
}

/** One row; `t` and `f` are booleans, as the protocol writes them. */
function row(values: readonly string[]): Buffer {
  const fields = values.map((value, at) => {
    const type = value === "t" || value === "f" ? TYPE_BOOLEAN : TYPE_TEXT;
    return Buffer.concat([
      text(["number", "version", "isReadOnly", "isNew", "mayCreate"][at] ?? `column${at}`),
      ...[int(0, 4), int(0, 2), int(type, 4), int(-1, 2), int(-1, 4), int(0, 2)],
    ]);
  });
  const cells = values.flatMap((value) => [int(Buffer.byteLength(value), 4), Buffer.from(value)]);
  return Buffer.concat([
    message("T", int(values.length, 2), ...fields),
    message("D", int(values.length, 2), ...cells),
    message("C", text("SELECT 1")),
    READY,
  ]);
}

/** A server that speaks just enough of PostgreSQL's protocol to refuse, or to tell who it is. */
export async function startFakePostgres(answer: FakePostgresAnswer): Promise<FakePostgres> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    let isOpen = false;
    socket.on("data", (sent) => {
      if (sent.length === 8 && sent.readInt32BE(4) === SSL_REQUEST) {
        socket.write("N");
      } else if ("code" in answer) {
        socket.end(refusal(answer.code, answer.message));
      } else if (isOpen) {
        socket.write(row(answer.facts));
      } else {
        isOpen = true;
        socket.write(Buffer.concat([message("R", int(0, 4)), READY]));
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
