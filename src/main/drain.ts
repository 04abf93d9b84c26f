import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** The answer under way, which Node keeps on the socket. */
type ServerSocket = Socket & {
  readonly _httpMessage?: {
    readonly headersSent: boolean;
    readonly shouldKeepAlive: boolean;
    setHeader(name: string, value: string): void;
  } | null;
};

type Known = {
  readonly acceptedAt: number;
  /** Accepted while the listener was about to close, and not read until it is closed. */
  readonly isHeld: boolean;
  bytesRead: number;
  quietLooks: number;
};

const ARRIVAL_LOOK_MS = 10;
/** After so many checks without a new connection, no connection is waiting to be accepted. */
const ARRIVAL_LOOKS = 5;
const ARRIVAL_MS_MAX = 1_000;

const IDLE_LOOK_MS = 25;
/**
 * A client that has another request sends it within a quarter of a second, or opens a new
 * connection.
 */
const IDLE_LOOKS = 10;
/** A client that has just connected has a request to send, even if it is slow to do so. */
const FIRST_REQUEST_MS = 2_000;

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
      const isHeld = (server as PausingServer).pauseOnConnect;
      const acceptedAt = performance.now();
      this.#known.set(socket, { acceptedAt, isHeld, bytesRead: 0, quietLooks: 0 });
      socket.once("close", () => this.#known.delete(socket));
    });
  }

  /**
   * Stops accepting connections. Connections that wait to be accepted at this moment are reset, so
   * it first waits until there are none. Clients that open a new connection for every request would
   * never leave such a moment: from here on, new connections are accepted but not read, so that each
   * client comes once more at most, and is answered when the listener is closed.
   */
  async closeDoor(): Promise<void> {
    (this.#server as PausingServer).pauseOnConnect = true;
    await this.#noOneComes();
    // Closes only the listener: `close` of an HTTP server would also close idle connections.
    NetServer.prototype.close.call(this.#server);
    for (const [socket, known] of this.#known) if (known.isHeld) socket.resume();
  }

  async #noOneComes(): Promise<void> {
    const latest = performance.now() + ARRIVAL_MS_MAX;
    for (let quietLooks = 0; quietLooks < ARRIVAL_LOOKS && performance.now() < latest; ) {
      const before = this.#arrived;
      await look(ARRIVAL_LOOK_MS);
      const isQuiet = this.#arrived === before && !this.#willComeAgain();
      quietLooks = isQuiet ? quietLooks + 1 : 0;
    }
  }

  /** True if a client waits for an answer after which it needs a new connection. */
  #willComeAgain(): boolean {
    for (const { _httpMessage: answer } of this.#known.keys()) {
      if (answer?.shouldKeepAlive === false) return true;
    }
    return false;
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
    const isNew = bytesRead === 0 && performance.now() - known.acceptedAt < FIRST_REQUEST_MS;
    const isQuiet = bytesRead === known.bytesRead && !answer && !isNew;
    known.bytesRead = bytesRead;
    known.quietLooks = isQuiet ? known.quietLooks + 1 : 0;
    if (known.quietLooks >= IDLE_LOOKS) socket.destroy();
  }
}

/** The option `pauseOnConnect` of `net.Server`, which can be changed later. */
type PausingServer = Server & { pauseOnConnect: boolean };

/** Resolves after everything that has arrived was read, even if the process is late. */
async function look(ms: number): Promise<void> {
  await sleep(ms);
  await new Promise((resolve) => setImmediate(resolve));
}
