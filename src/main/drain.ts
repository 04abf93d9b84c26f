import { once } from "node:events";
import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What Node keeps on a socket while an answer is under way. */
type ServerSocket = Socket & {
  readonly _httpMessage?: {
    readonly headersSent: boolean;
    setHeader(name: string, value: string): void;
  } | null;
};

type Known = { bytesRead: number; quietLooks: number };

const ARRIVAL_LOOK_MS = 10;
/** Nobody has arrived in so many looks: nobody is at the door. */
const ARRIVAL_LOOKS = 5;
const ARRIVAL_MS_MAX = 500;
const NARROW_MS = 200;
const NARROW_PAUSE_MS = 10;

const IDLE_LOOK_MS = 25;
/** Whoever has more to ask on a connection does so within a quarter of a second, or takes another. */
const IDLE_LOOKS = 10;

/**
 * The connections that lead in. Closing one on which a request is on its way, or the listener while
 * the system still holds callers for it, resets them: they cannot know whether they were heard. So a
 * stop waits for the moments in which nothing is under way.
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

  /** Lets nobody else in. What waits at the door when it closes is reset, so nobody should. */
  async closeDoor(): Promise<void> {
    if (!(await this.#isQuietWithin(ARRIVAL_MS_MAX))) {
      narrowDoor(this.#server);
      // Else right after someone came in, when hardly anybody else can be at the door by now.
      await Promise.race([
        this.#isQuietWithin(ARRIVAL_MS_MAX),
        sleep(NARROW_MS).then(() => once(this.#server, "connection")),
      ]);
    }
    // Of the listener alone: that of HTTP servers closes idle connections, too.
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

  /** What is asked from now on, or not answered yet, is the last on its connection. */
  announceEnd(): void {
    // Node would close those that seem idle together with the listener: see `untilAllLeft`.
    this.#server.closeIdleConnections = () => undefined;
    for (const { _httpMessage: answer } of this.#known.keys()) {
      if (answer && !answer.headersSent) answer.setHeader("connection", "close");
    }
  }

  /** Lets go of connections on which nothing is asked any more, until none is left or it is too late. */
  async untilAllLeft(msMax: number): Promise<void> {
    const latest = performance.now() + msMax;
    while (this.#known.size > 0 && performance.now() < latest) {
      await look(IDLE_LOOK_MS);
      for (const [socket, known] of this.#known) this.#letGo(socket, known);
    }
    this.#server.closeAllConnections();
  }

  #letGo(socket: ServerSocket, known: Known): void {
    const { bytesRead, _httpMessage: answer } = socket;
    const isQuiet = bytesRead === known.bytesRead && !answer;
    known.bytesRead = bytesRead;
    known.quietLooks = isQuiet ? known.quietLooks + 1 : 0;
    if (known.quietLooks >= IDLE_LOOKS) socket.destroy();
  }
}

/** The part of a listener that Node does not show. */
type Listener = { readonly _handle?: { listen?(backlog: number): number } | null };

/**
 * For callers that connect anew for every request, so that there is always one at the door. With room
 * for one, and nobody let in for a moment, the system leaves all others unanswered: they ask again in a
 * second, and learn then that nobody listens.
 */
function narrowDoor(server: Server): void {
  (server as unknown as Listener)._handle?.listen?.(0);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, NARROW_PAUSE_MS);
}

/** Ends right after everything that has arrived meanwhile was read, however late the process is. */
async function look(ms: number): Promise<void> {
  await sleep(ms);
  await new Promise((resolve) => setImmediate(resolve));
}
