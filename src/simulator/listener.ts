import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";

const LOOPBACK = "127.0.0.1";

/**
 * A server on this machine that can be shut and opened again on the same port, as clients meet a
 * service that is down for a while.
 */
export class Listener {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port: number;
  #hasListened = false;

  /** With the port of an earlier start it takes that again, unless another has it by now. */
  constructor(server: Server, port = 0) {
    this.#server = server;
    this.#port = port;
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  get port(): number {
    return this.#port;
  }

  /** Opens the port, at the first time a free one. */
  async open(): Promise<void> {
    if (this.#server.listening) return;
    await this.#listen(this.#port).catch((error: unknown) => {
      if (this.#hasListened || this.#port === 0) throw error;
      return this.#listen(0);
    });
    this.#hasListened = true;
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async #listen(port: number): Promise<void> {
    this.#server.listen(port, LOOPBACK);
    await once(this.#server, "listening");
  }

  /** Cuts one connection, without a word of goodbye in its protocol. */
  cut(remotePort: number | undefined): void {
    for (const socket of this.#sockets) {
      if (socket.remotePort === remotePort) socket.resetAndDestroy();
    }
  }

  /** Refuses connections from now on, and cuts those that are open. */
  async shut(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
