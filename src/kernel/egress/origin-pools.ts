import type { Socket } from "node:net";
import { type buildConnector, Client, Pool } from "undici";
import { EgressError } from "./egress-error.ts";
import { type ConnectorOptions, openGuarded } from "./guarded-connector.ts";

export type PoolLimits = {
  readonly connectionsPerOriginMax: number;
  /** For all origins together, including connections that are being opened. */
  readonly connectionsMax: number;
};

/** The connections of one group to one origin. It exists while it has a request or a connection. */
export type Origin = {
  readonly key: string;
  readonly pool: Pool;
  /** Each socket with the one client of the pool that uses it. */
  readonly sockets: Map<Socket, Client>;
  running: number;
  usedAt: number;
};

const IDLE_MS = 4_000;
/** Applies even if the other side offers to keep an idle connection for longer. */
const IDLE_MS_MAX = 30_000;
/**
 * A connection is replaced after this time, so that a change of the name's address takes effect.
 */
const CONNECTION_AGE_MS_MAX = 300_000;
const HEADERS_BYTES_MAX = 16_384;

export class OriginPools {
  readonly #origins = new Map<string, Origin>();
  readonly #connector: ConnectorOptions;
  readonly #limits: PoolLimits;
  #connections = 0;
  #openedMs: number | undefined;

  constructor(connector: ConnectorOptions, limits: PoolLimits) {
    this.#connector = connector;
    this.#limits = limits;
  }

  /** Counts a new request; `release` ends the count. */
  take(name: string, group: string): Origin {
    const key = `${group} ${name}`;
    const origin = this.#origins.get(key) ?? this.#add(key, name);
    origin.running += 1;
    origin.usedAt = performance.now();
    return origin;
  }

  release(origin: Origin): void {
    origin.running -= 1;
    this.#dropUnused(origin);
  }

  /**
   * Returns the time that the connection of the starting request took to open; undefined if it was
   * already open. When a connection opens, the pool starts exactly one request on it before
   * anything else happens, so the value belongs to that request.
   */
  takeConnectMs(): number | undefined {
    const openedMs = this.#openedMs;
    this.#openedMs = undefined;
    return openedMs;
  }

  /** Closes all connections; requests under way fail. */
  async close(): Promise<void> {
    const origins = [...this.#origins.values()];
    this.#origins.clear();
    await Promise.all(origins.map((origin) => this.#end(origin)));
  }

  #add(key: string, name: string): Origin {
    const pool = new Pool(name, {
      connections: this.#limits.connectionsPerOriginMax,
      factory: (place, options: Client.Options) => {
        const client: Client = new Client(place, {
          ...options,
          connect: (target, callback) => this.#connect(origin, client, target, callback),
        });
        return client;
      },
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS_MAX,
      clientTtl: CONNECTION_AGE_MS_MAX,
      maxHeaderSize: HEADERS_BYTES_MAX,
      // Every request has one deadline for everything, which is stricter than a limit for each
      // part.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const origin: Origin = { key, pool, sockets: new Map(), running: 0, usedAt: 0 };
    this.#origins.set(key, origin);
    return origin;
  }

  #connect(
    origin: Origin,
    client: Client,
    target: buildConnector.Options,
    callback: buildConnector.Callback,
  ): void {
    if (this.#connections >= this.#limits.connectionsMax && !this.#makeRoom()) {
      queueMicrotask(() => callback(new EgressError("egress.busy"), null));
      return;
    }
    const socket = openGuarded(
      target,
      this.#connector,
      (opened, connectMs) => {
        this.#openedMs = connectMs;
        callback(null, opened);
        this.#openedMs = undefined;
      },
      (error) => callback(error, null),
    );
    if (socket === undefined) return;
    this.#connections += 1;
    origin.sockets.set(socket, client);
    socket.once("close", () => {
      this.#forget(origin, socket);
      this.#dropUnused(origin);
    });
  }

  /**
   * Closes an idle connection of the origin that has been without a request for the longest time.
   */
  #makeRoom(): boolean {
    const origins = [...this.#origins.values()].sort((a, b) => a.usedAt - b.usedAt);
    for (const origin of origins) {
      for (const [socket, client] of origin.sockets) {
        const { connected, size } = client.stats;
        if (!connected || size > 0) continue;
        this.#forget(origin, socket);
        socket.destroy();
        return true;
      }
    }
    return false;
  }

  /** Counts a socket only once, although it may be forgotten twice. */
  #forget(origin: Origin, socket: Socket): void {
    if (origin.sockets.delete(socket)) this.#connections -= 1;
  }

  #dropUnused(origin: Origin): void {
    if (origin.running > 0 || origin.sockets.size > 0) return;
    if (this.#origins.get(origin.key) !== origin) return;
    this.#origins.delete(origin.key);
    void this.#end(origin);
  }

  async #end({ pool, sockets }: Origin): Promise<void> {
    const closed = new EgressError("egress.closed");
    const ended = pool.destroy(closed);
    // The pool does not know the sockets that are still being opened.
    for (const socket of sockets.keys()) socket.destroy(closed);
    await ended;
  }
}
