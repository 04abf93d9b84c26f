import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { ClientConfig } from "pg";

export type BreakableLink = {
  /** The same database, reached through the link. */
  readonly connection: ClientConfig;
  /** Connections die and new ones are refused. */
  cut(): Promise<void>;
  /** Connections stay open and nothing passes any more: what a lost network looks like. */
  silence(): void;
  /** The same, but new connections work: what a router looks like that forgot the old ones. */
  strand(): void;
  restore(): Promise<void>;
  close(): Promise<void>;
};

/** A stretch of network between the product and its database that a test can break. */
export async function createBreakableLink(target: ClientConfig): Promise<BreakableLink> {
  const sockets = new Set<Socket>();
  let stranded = new WeakSet<Socket>();
  let isSilent = false;
  let server = createServer(accept);

  function accept(near: Socket): void {
    const far = target.host?.startsWith("/")
      ? connect(`${target.host}/.s.PGSQL.${target.port}`)
      : connect(Number(target.port), target.host);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (chunk) => isSilent || stranded.has(from) || to.write(chunk));
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  }

  async function listen(port: number): Promise<number> {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }

  async function cut(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, "close");
  }

  const port = await listen(0);
  return {
    connection: { ...target, host: "127.0.0.1", port },
    cut,
    silence: () => {
      isSilent = true;
    },
    strand: () => {
      stranded = new WeakSet(sockets);
    },
    async restore() {
      isSilent = false;
      if (server.listening) return;
      server = createServer(accept);
      await listen(port);
    },
    close: cut,
  };
}
