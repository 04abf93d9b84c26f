import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import ssh2 from "ssh2";
import { systemCall } from "#kernel/call.ts";
import { messageOf } from "#kernel/errors.ts";
import type { PortAddress } from "#kernel/module.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { addressGroup } from "#src/access/public.ts";
import { hostKeysOf } from "../host-keys/host-key.service.ts";
import { ALGORITHMS } from "./algorithms.ts";
import { type ConnectionHost, SftpConnection } from "./connection.ts";
import { Defender } from "./defender.ts";
import { type Member, reviewLogins } from "./login-review.service.ts";
import {
  CONNECTIONS_MAX,
  CONNECTIONS_PER_ADDRESS_MAX,
  CONNECTIONS_PER_TENANT_MAX,
  DRAIN_SECONDS_MAX,
  REVIEW_SECONDS,
  STRANGERS_MAX,
  STRANGERS_PER_ADDRESS_MAX,
} from "./server.limits.ts";
import { sftpMetricsOf } from "./sftp.metrics.ts";

/** Tells all nodes of an address that guesses passwords: the end of its ban, and the address. */
const BAN_SIGNAL = "sftp-ban";
const LOOK_MS = 50;

/** Listens for clients of all tenants. */
export class SftpServer implements ConnectionHost {
  readonly runtime: Runtime;
  readonly #listener: Server;
  readonly #defender: Defender;
  /** By the address and port of the client. */
  readonly #connections = new Map<string, SftpConnection>();
  #ssh: Promise<ssh2.Server> | undefined;
  #reviewTimer: NodeJS.Timeout | undefined;
  #isReviewing = false;
  #isStopping = false;

  constructor(runtime: Runtime) {
    this.runtime = runtime;
    this.#defender = new Defender(() => runtime.clock.now().getTime());
    this.#listener = createServer({ noDelay: true, keepAlive: true }, (socket) =>
      this.#meet(socket),
    );
    runtime.signals.on(BAN_SIGNAL, (payload) => {
      const [until, ip = ""] = payload.split(" ");
      this.#defender.ban(ip, Number(until));
    });
  }

  get port(): number {
    return (this.#listener.address() as AddressInfo).port;
  }

  async listen({ host, port }: PortAddress): Promise<void> {
    this.#listener.listen(port, host);
    await once(this.#listener, "listening");
    this.#reviewTimer = setInterval(() => void this.#review(), REVIEW_SECONDS * 1_000);
  }

  /** Lets uploads that are under way come to their end, for a while. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#reviewTimer);
    this.#listener.close();
    for (const connection of this.#connections.values()) connection.leave();
    const latest = performance.now() + DRAIN_SECONDS_MAX * 1_000;
    while (this.#connections.size > 0 && performance.now() < latest) await sleep(LOOK_MS);
    for (const connection of this.#connections.values()) connection.destroy();
  }

  #meet(socket: Socket): void {
    const { remoteAddress: ip, remotePort } = socket;
    const metrics = sftpMetricsOf(this.runtime);
    const refusal = ip === undefined ? "gone" : this.#refusalOf(ip);
    if (ip === undefined || refusal !== undefined) {
      metrics.refused.inc({ reason: refusal ?? "gone" });
      socket.on("error", () => undefined);
      socket.destroy();
      return;
    }
    const place = `${ip} ${remotePort}`;
    // A client may come back from the same port before the end of its last connection is noticed.
    this.#connections.get(place)?.destroy();
    this.#forget(place, this.#connections.get(place));
    const connection = new SftpConnection(this, socket, ip);
    this.#connections.set(place, connection);
    metrics.connections.inc();
    socket.once("close", () => this.#forget(place, connection));
    this.#sshServer().then(
      (server) => {
        if (!socket.destroyed) server.injectSocket(socket);
      },
      (error: unknown) => {
        this.runtime.log.error({ reason: messageOf(error) }, "sftp: there are no host keys");
        connection.excuse();
        socket.destroy();
      },
    );
  }

  #forget(place: string, connection: SftpConnection | undefined): void {
    if (connection === undefined || this.#connections.get(place) !== connection) return;
    this.#connections.delete(place);
    sftpMetricsOf(this.runtime).connections.dec();
  }

  /** May end the oldest connection of a stranger to make room. */
  #refusalOf(ip: string): string | undefined {
    // First what costs nothing: it is asked thousands of times where somebody guesses.
    if (this.#isStopping) return "stopping";
    if (this.#defender.isBanned(ip)) return "banned";
    const all = [...this.#connections.entries()];
    const strangers = all.filter(([, { isStranger }]) => isStranger);
    const group = addressGroup(ip);
    const ofAddress = (some: typeof all) =>
      some.filter(([, connection]) => connection.addressGroup === group).length;
    if (ofAddress(all) >= CONNECTIONS_PER_ADDRESS_MAX) return "address";
    if (ofAddress(strangers) >= STRANGERS_PER_ADDRESS_MAX) return "address";
    if (strangers.length < STRANGERS_MAX && all.length < CONNECTIONS_MAX) return undefined;
    const [oldest] = strangers;
    if (oldest === undefined) return "full";
    const [place, stranger] = oldest;
    sftpMetricsOf(this.runtime).refused.inc({ reason: "strangers" });
    stranger.giveAway();
    this.#forget(place, stranger);
    return undefined;
  }

  /** Made for the first client, so that a start does not wait for the host keys. */
  #sshServer(): Promise<ssh2.Server> {
    if (this.#ssh === undefined) {
      const making = this.#makeSsh();
      this.#ssh = making;
      making.catch(() => {
        this.#ssh = undefined;
      });
    }
    return this.#ssh;
  }

  async #makeSsh(): Promise<ssh2.Server> {
    const { privateKeys } = await hostKeysOf(this.runtime);
    const server = new ssh2.Server({
      hostKeys: [...privateKeys],
      algorithms: ALGORITHMS,
      ident: "Billfold",
    });
    server.on("connection", (client, { ip, port }) => {
      // An error that nobody listens for would end the process.
      client.on("error", () => undefined);
      const connection = this.#connections.get(`${ip} ${port}`);
      if (connection === undefined) client.end();
      else connection.attach(client);
    });
    server.on("error", (error: Error) => {
      this.runtime.log.error({ reason: error.message }, "sftp: the server failed");
    });
    return server;
  }

  countFailure(ip: string): boolean {
    const until = this.#defender.fail(ip);
    if (until === undefined) return false;
    this.runtime.log.warn({ ip, until: new Date(until) }, "sftp: an address is banned");
    systemCall(this.runtime, "sftp.ban")
      .transaction(async (tx) => tx.signal(BAN_SIGNAL, `${until} ${ip}`))
      .catch((error: unknown) => {
        this.runtime.log.warn(
          { reason: messageOf(error) },
          "sftp: other nodes do not know the ban",
        );
      });
    return true;
  }

  forgive(ip: string, failures: number): void {
    this.#defender.takeBack(ip, failures);
  }

  hasRoomFor(tenantId: string): boolean {
    const all = [...this.#connections.values()];
    const others = all.filter(({ login }) => login?.tenantId === tenantId);
    return others.length < CONNECTIONS_PER_TENANT_MAX;
  }

  async #review(): Promise<void> {
    const connections = [...this.#connections.values()];
    for (const connection of connections) connection.endIfIdle();
    if (this.#isReviewing) return;
    this.#isReviewing = true;
    try {
      await reviewLogins(this.runtime, connections.filter(isMember));
    } finally {
      this.#isReviewing = false;
    }
  }
}

function isMember(connection: SftpConnection): connection is SftpConnection & Member {
  return connection.login !== undefined;
}
