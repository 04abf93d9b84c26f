import { once } from "node:events";
import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** The answer under way, which Node keeps on the socket. */
type ServerSocket = Socket & {
  readonly _httpMessage?: {
    readonly headersSent: boolean;
    setHeader(name: string, value: string): void;
  } | null;
};

type Known = { bytesRead: number; quietLooks: number };

const ARRIVAL_LOOK_MS = 10;
/** After so many checks without a new connection, no connection is waiting to be accepted. */
const ARRIVAL_LOOKS = 5;
const ARRIVAL_MS_MAX = 500;
const NARROW_MS = 200;
const NARROW_PAUSE_MS = 10;

const IDLE_LOOK_MS = 25;
/**
 * A client that has another request sends it within a quarter of a second, or opens a new
 * connection.
 */
const IDLE_LOOKS = 10;

/**
 * The incoming connections. If a connection is closed while a request is on its way, or the
 * listener while the system still holds connections for it, the clients get a reset and cannot know
 * whether their request was processed. So a stop waits for moments in which nothing is under way.
 */
export class Callers {
  readonly #server: Server;
  readonly #known = new Map<ServerSocket, Known>();
  #arrived = 0;

  constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket: ServerSocket) => {
      this.#arrived += 1;
      this.#known.set(socket, { bytesRead: 0, quietLooks: 0 });
      socket.once("close", () => this.#known.delete(socket));
    });
  }

  /**
   * Stops accepting connections. Connections that wait to be accepted at this moment are reset, so
   * it first waits until there are none.
   */
  async closeDoor(): Promise<void> {
    if (!(await this.#isQuietWithin(ARRIVAL_MS_MAX))) {
      narrowDoor(this.#server);
      // Otherwise, it closes right after a connection was accepted, when hardly another one can
      // wait.
      await Promise.race([
        this.#isQuietWithin(ARRIVAL_MS_MAX),
        sleep(NARROW_MS).then(() => once(this.#server, "connection")),
      ]);
    }
    // Closes only the listener: `close` of an HTTP server would also close idle connections.
    NetServer.prototype.close.call(this.#server);
  }

  async #isQuietWithin(ms: number): Promise<boolean> {
    const latest = performance.now() + ms;
    let quietLooks = 0;
    while (quietLooks < ARRIVAL_LOOKS && performance.now() < latest) {
      const before = this.#arrived;
      await look(ARRIVAL_LOOK_MS);
      quietLooks = this.#arrived === before ? quietLooks + 1 : 0;
    }
    return quietLooks === ARRIVAL_LOOKS;
  }

  /** Tells clients that the present or next answer is the last one on their connection. */
  announceEnd(): void {
    // Node would close connections that seem idle together with the listener: see `haveLeft`.
    this.#server.closeIdleConnections = () => undefined;
    for (const { _httpMessage: answer } of this.#known.keys()) {
      if (answer && !answer.headersSent) answer.setHeader("connection", "close");
    }
  }

  /** Closes connections that have become quiet. False if some are still open at the end. */
  async haveLeft(msMax: number): Promise<boolean> {
    const latest = performance.now() + msMax;
    while (this.#known.size > 0 && performance.now() < latest) {
      await look(IDLE_LOOK_MS);
      for (const [socket, known] of this.#known) this.#letGo(socket, known);
    }
    return this.#known.size === 0;
  }

  #letGo(socket: ServerSocket, known: Known): void {
    const { bytesRead, _httpMessage: answer } = socket;
    const isQuiet = bytesRead === known.bytesRead && !answer;
    known.bytesRead = bytesRead;
    known.quietLooks = isQuiet ? known.quietLooks + 1 : 0;
    if (known.quietLooks >= IDLE_LOOKS) socket.destroy();
  }
}

/** The handle of a listener, which Node's types do not declare. */
type Listener = { readonly _handle?: { listen?(backlog: number): number } | null };

/**
 * For clients that open a new connection for every request, so that one is always waiting. With a
 * queue of one and a short pause in accepting, the system does not answer further connections:
 * their clients try again a second later and then find the port closed.
 */
function narrowDoor(server: Server): void {
  (server as unknown as Listener)._handle?.listen?.(0);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, NARROW_PAUSE_MS);
}

/** Resolves after everything that has arrived was read, even if the process is late. */
async function look(ms: number): Promise<void> {
  await sleep(ms);
  await new Promise((resolve) => setImmediate(resolve));
}
