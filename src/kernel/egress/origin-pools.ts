import type { Socket } from "node:net";
import { type buildConnector, Client, type Dispatcher } from "undici";
import { EgressError } from "./egress-error.ts";
import { type ConnectorOptions, openGuarded } from "./guarded-connector.ts";
import type { GuardedExchange } from "./guarded-exchange.ts";

export type PoolLimits = {
  readonly connectionsPerOriginMax: number;
  /** For all origins together, including connections that are being opened. */
  readonly connectionsMax: number;
  /**
   * A connection is replaced after this time, so that a change of the name's address takes effect.
   */
  readonly connectionAgeMsMax: number;
};

type Waiting = {
  readonly request: Dispatcher.DispatchOptions;
  readonly exchange: GuardedExchange;
};

/** The connections of one group to one origin. It exists while it has a request or a connection. */
type Origin = {
  readonly name: string;
  readonly group: string;
  /** Every client has at most one connection. The value is the time at which it was opened. */
  readonly clients: Map<Client, number>;
  /** The clients without a request; the one that was used last is the first to be used again. */
  readonly idle: Client[];
  /** The requests that wait for a client, in the order of their arrival. */
  readonly waiting: Waiting[];
  /** Each socket with the one client that uses it. */
  readonly sockets: Map<Socket, Client>;
  running: number;
  usedAt: number;
};

const IDLE_MS = 4_000;
/** Applies even if the other side offers to keep an idle connection for longer. */
const IDLE_MS_MAX = 30_000;
const HEADERS_BYTES_MAX = 16_384;

/**
 * All connections to the outside. A pool of undici would serve as well, but adds a third to the
 * time that undici takes for a request: the pool looks at all its clients in turn, and queues a
 * request although a client is about to be free.
 */
export class OriginPools {
  /** By group, then by origin: both are strings that their callers keep, so no key is built. */
  readonly #origins = new Map<string, Map<string, Origin>>();
  readonly #connector: ConnectorOptions;
  readonly #limits: PoolLimits;
  #connections = 0;
  #openedMs: number | undefined;

  constructor(connector: ConnectorOptions, limits: PoolLimits) {
    this.#connector = connector;
    this.#limits = limits;
  }

  /** Sends the request on an idle connection or on a new one, or when a connection is idle. */
  send(
    name: string,
    group: string,
    request: Dispatcher.DispatchOptions,
    exchange: GuardedExchange,
  ): void {
    const origin = this.#origins.get(group)?.get(name) ?? this.#add(name, group);
    origin.running += 1;
    origin.usedAt = performance.now();
    const client = origin.idle.pop() ?? this.#addClient(origin);
    if (client === undefined) origin.waiting.push({ request, exchange });
    else this.#dispatch(origin, client, { request, exchange });
  }

  /**
   * Returns the time that the connection of the starting request took to open; undefined if it was
   * already open. When a connection opens, its client starts exactly one request on it before
   * anything else happens, so the value belongs to that request.
   */
  takeConnectMs(): number | undefined {
    const openedMs = this.#openedMs;
    this.#openedMs = undefined;
    return openedMs;
  }

  /** Closes all connections; requests under way and requests that wait fail. */
  async close(): Promise<void> {
    const origins = this.#list();
    this.#origins.clear();
    await Promise.all(origins.map((origin) => this.#end(origin)));
  }

  #add(name: string, group: string): Origin {
    const origin: Origin = {
      name,
      group,
      clients: new Map(),
      idle: [],
      waiting: [],
      sockets: new Map(),
      running: 0,
      usedAt: 0,
    };
    const ofGroup = this.#origins.get(group) ?? new Map<string, Origin>();
    this.#origins.set(group, ofGroup.set(name, origin));
    return origin;
  }

  /** Returns undefined if the origin has as many connections as it may have. */
  #addClient(origin: Origin): Client | undefined {
    if (origin.clients.size >= this.#limits.connectionsPerOriginMax) return undefined;
    const client: Client = new Client(origin.name, {
      connect: (target, callback) => this.#connect(origin, client, target, callback),
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS_MAX,
      maxHeaderSize: HEADERS_BYTES_MAX,
      // Every request has one deadline for everything, which is stricter than a limit for each
      // part.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    origin.clients.set(client, performance.now());
    return client;
  }

  #dispatch(origin: Origin, client: Client, { request, exchange }: Waiting): void {
    exchange.whenFinished(() => {
      // A server may close the connection right after its answer. Node learns of that before the
      // next turn of the event loop, so only then the connection is used again.
      setImmediate(() => this.#takeBack(origin, client));
    });
    client.dispatch(request, exchange);
  }

  #takeBack(origin: Origin, client: Client): void {
    origin.running -= 1;
    if (!this.#isCurrent(origin)) return;
    const ageMs = performance.now() - (origin.clients.get(client) ?? 0);
    if (ageMs > this.#limits.connectionAgeMsMax) this.#retire(origin, client);
    else origin.idle.push(client);
    this.#sendWaiting(origin);
    this.#dropUnused(origin);
  }

  #retire(origin: Origin, client: Client): void {
    origin.clients.delete(client);
    void client.close();
  }

  #sendWaiting(origin: Origin): void {
    while (origin.waiting.length > 0) {
      // A caller that gave up meanwhile has its answer, and its request is not sent.
      if (origin.waiting[0]?.exchange.isSettled) {
        origin.waiting.shift();
        origin.running -= 1;
        continue;
      }
      const client = origin.idle.pop() ?? this.#addClient(origin);
      if (client === undefined) return;
      const next = origin.waiting.shift();
      if (next !== undefined) this.#dispatch(origin, client, next);
    }
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
        if (origin.clients.has(client)) origin.clients.set(client, performance.now());
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
    const origins = this.#list().sort((a, b) => a.usedAt - b.usedAt);
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

  #list(): Origin[] {
    return [...this.#origins.values()].flatMap((ofGroup) => [...ofGroup.values()]);
  }

  /** False if the connections of the origin were ended, by `close` or because it was unused. */
  #isCurrent(origin: Origin): boolean {
    return this.#origins.get(origin.group)?.get(origin.name) === origin;
  }

  #dropUnused(origin: Origin): void {
    if (origin.running > 0 || origin.sockets.size > 0) return;
    if (!this.#isCurrent(origin)) return;
    const ofGroup = this.#origins.get(origin.group);
    ofGroup?.delete(origin.name);
    if (ofGroup?.size === 0) this.#origins.delete(origin.group);
    void this.#end(origin);
  }

  async #end({ clients, waiting, sockets }: Origin): Promise<void> {
    const closed = new EgressError("egress.closed");
    for (const { exchange } of waiting.splice(0)) exchange.onResponseError(undefined, closed);
    const ended = [...clients.keys()].map((client) => client.destroy(closed));
    // The clients do not know the sockets that are still being opened.
    for (const socket of sockets.keys()) socket.destroy(closed);
    await Promise.all(ended);
  }
}
