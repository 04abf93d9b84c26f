import type { Socket } from "node:net";
import type { Connection, ServerChannel, Session } from "ssh2";
import { messageOf } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { addressGroup } from "#src/access/public.ts";
import { FolderSession } from "../folders/session.ts";
import { SftpChannel } from "./channel.ts";
import { callsOf } from "./login.call.ts";
import type { Login } from "./login.service.ts";
import {
  CHANNELS_PER_CONNECTION_MAX,
  GREETING_BYTES_MAX,
  IDLE_MINUTES_MAX,
  RECEIVED_BYTES_MAX,
  SIGN_IN_SECONDS_MAX,
  STRANGER_RECEIVED_BYTES_MAX,
  STRANGER_UNSENT_BYTES_MAX,
  UNREAD_BYTES_MAX,
  UNUSED_SESSIONS_MAX,
} from "./server.limits.ts";
import { sftpMetricsOf } from "./sftp.metrics.ts";
import { SignIn } from "./sign-in.ts";

const GOODBYE_MS = 2_000;

export type ConnectionHost = {
  readonly runtime: Runtime;
  /** Counts a failure to sign in; true if the address is banned by it. */
  countFailure(ip: string): boolean;
  /** Forgets failures that were followed by a success. */
  forgive(ip: string, failures: number): void;
  /** False if the tenant has as many connections as it may have. */
  hasRoomFor(tenantId: string): boolean;
};

/** One client from its connection to its end. */
export class SftpConnection {
  readonly ip: string;
  /** What counts as one address with it. */
  readonly addressGroup: string;
  readonly #host: ConnectionHost;
  readonly #socket: Socket;
  readonly #closed = new AbortController();
  readonly #signIn: SignIn;
  readonly #signInTimer: NodeJS.Timeout;
  readonly #channels = new Set<SftpChannel>();
  #client: Connection | undefined;
  /** Set while the client may use its files. */
  #login: Login | undefined;
  #sessions = 0;
  #unusedSessions = 0;
  #isLeaving = false;
  /** True if the client is not to blame for a connection that ends before it signed in. */
  #isExcused = false;
  #isOverdue = false;
  #activeAt: number;

  constructor(host: ConnectionHost, socket: Socket, ip: string) {
    this.#host = host;
    this.#socket = socket;
    this.ip = ip;
    this.addressGroup = addressGroup(ip);
    this.#activeAt = host.runtime.clock.now().getTime();
    this.#signInTimer = setTimeout(() => this.giveAway(), SIGN_IN_SECONDS_MAX * 1_000);
    this.#signIn = new SignIn({
      runtime: host.runtime,
      onFailure: () => this.#onFailure(),
      excuse: () => this.excuse(),
      giveUp: () => this.end(),
      breakOff: () => socket.destroy(),
      isClosed: () => this.#closed.signal.aborted,
    });
    // Whatever goes wrong on the way, `close` follows.
    socket.on("error", () => undefined);
    socket.once("close", () => this.#onClose());
  }

  get login(): Login | undefined {
    return this.#login;
  }

  get isStranger(): boolean {
    return this.#login === undefined;
  }

  /** Called when the client has said that it speaks SSH. */
  attach(client: Connection): void {
    this.#client = client;
    client.on("error", (error: Error) => {
      this.#host.runtime.log.debug({ ip: this.ip, reason: error.message }, "sftp: broken off");
      // The library only ends its own side, and a client could stay connected for ever.
      this.#socket.destroySoon();
      this.#destroyLater();
    });
    this.#signIn.listen(client);
    client.on("ready", () => this.#welcome());
    // Clients change keys after gigabytes. Each change costs as much as a connection.
    client.on("rekey", () => this.isStranger && this.#socket.destroy());
    client.on("session", (accept, reject) => {
      if (this.isStranger || this.#sessions >= CHANNELS_PER_CONNECTION_MAX) reject();
      else this.#open(accept());
    });
    this.#socket.on("data", () => this.#watch());
  }

  /**
   * The library limits neither what it keeps for a client that does not read, nor what a client sends
   * without waiting to be asked for more: both would fill the memory.
   */
  #watch(): void {
    const { bytesRead, writableLength } = this.#socket;
    const isTooMuch = this.isStranger
      ? bytesRead > STRANGER_RECEIVED_BYTES_MAX || writableLength > STRANGER_UNSENT_BYTES_MAX
      : writableLength > UNREAD_BYTES_MAX ||
        this.#channels.values().some(({ receivedBytes }) => receivedBytes > RECEIVED_BYTES_MAX);
    if (!isTooMuch) return;
    this.#host.runtime.log.info({ ip: this.ip }, "sftp: sent too much, or does not read");
    this.#socket.destroy();
  }

  #onFailure(): void {
    const { runtime } = this.#host;
    sftpMetricsOf(runtime).signIns.inc({ outcome: "refused" });
    if (this.#host.countFailure(this.ip)) this.#socket.destroy();
  }

  #onClose(): void {
    clearTimeout(this.#signInTimer);
    this.#closed.abort();
    if (this.#signIn.login !== undefined || this.#signIn.failures > 0 || this.#isExcused) return;
    // Those who look whether somebody listens here cost nothing, and may be a balancer that does so
    // every few seconds. A client that exchanged keys did cost something.
    if (!this.#isOverdue && this.#socket.bytesRead <= GREETING_BYTES_MAX) return;
    sftpMetricsOf(this.#host.runtime).signIns.inc({ outcome: "none" });
    this.#host.countFailure(this.ip);
  }

  #welcome(): void {
    clearTimeout(this.#signInTimer);
    const { runtime } = this.#host;
    const { login, failures } = this.#signIn;
    if (login === undefined) {
      this.end();
      return;
    }
    const facts = { tenantId: login.tenantId, ip: this.ip, credential: login.credentialName };
    if (!this.#host.hasRoomFor(login.tenantId)) {
      runtime.log.warn(facts, "sftp: the tenant has too many connections");
      sftpMetricsOf(runtime).signIns.inc({ outcome: "too-many" });
      this.end();
      return;
    }
    this.#login = login;
    this.#host.forgive(this.ip, failures);
    sftpMetricsOf(runtime).signIns.inc({ outcome: "accepted" });
    runtime.log.info(facts, "sftp: signed in");
    if (this.#isLeaving) this.end();
  }

  /**
   * A shell, commands, forwarding and everything else is refused, because nobody listens for it. The
   * packets of SFTP are ours: those of the library ask the client for more before a request is done, so
   * that a slow database would fill the memory, and do not announce the renaming of OpenSSH.
   */
  #open(session: Session): void {
    const closed = new AbortController();
    let serving: Promise<void> | undefined;
    this.#sessions += 1;
    session.once("close", () => {
      closed.abort();
      // The place is free when the work is done: otherwise a client could begin ever more of it.
      if (serving !== undefined) void serving.finally(() => this.#leaveSession());
      else if (this.#countUnused() <= UNUSED_SESSIONS_MAX) this.#leaveSession();
      else this.#socket.destroy();
    });
    session.on("subsystem", (accept, reject, { name }) => {
      if (name !== "sftp" || serving !== undefined) {
        reject?.();
        return;
      }
      serving = this.#serve(accept(), closed.signal).catch((error: unknown) => {
        this.#host.runtime.log.error({ reason: messageOf(error) }, "sftp: a session failed");
        this.end();
      });
    });
  }

  #leaveSession(): void {
    this.#sessions -= 1;
  }

  /** The library never forgets a session that was opened and closed without being used. */
  #countUnused(): number {
    this.#unusedSessions += 1;
    return this.#unusedSessions;
  }

  async #serve(channel: ServerChannel, closed: AbortSignal): Promise<void> {
    const { runtime } = this.#host;
    if (this.#login === undefined) return;
    const folders = new FolderSession({
      call: callsOf(runtime, this.#login, this.ip),
      createdBy: `sftp ${this.#login.credentialName}`,
      isStopping: () => this.#isLeaving,
    });
    const host = {
      runtime,
      ip: this.ip,
      socket: this.#socket,
      isLeaving: () => this.#isLeaving,
      onActivity: () => {
        this.#activeAt = runtime.clock.now().getTime();
      },
    };
    const either = AbortSignal.any([closed, this.#closed.signal]);
    const served = new SftpChannel(host, channel, folders, either);
    this.#channels.add(served);
    try {
      await served.serve();
    } finally {
      this.#channels.delete(served);
      if (this.#isLeaving) this.leave();
    }
  }

  /** Also ends a client that waits for nothing but does not take its answers. */
  endIfIdle(): void {
    const { runtime } = this.#host;
    const idleMs = runtime.clock.now().getTime() - this.#activeAt;
    if (this.#login === undefined || idleMs <= IDLE_MINUTES_MAX * 60_000) return;
    runtime.log.info({ tenantId: this.#login.tenantId, ip: this.ip }, "sftp: idle for too long");
    this.end();
  }

  /** Ends as soon as no request and no upload is under way. */
  leave(): void {
    this.excuse();
    this.#isLeaving = true;
    if (!this.#channels.values().some(({ isBusy }) => isBusy)) this.end();
  }

  excuse(): void {
    this.#isExcused = true;
  }

  /** Its place is needed, or its time is over. */
  giveAway(): void {
    this.#isOverdue = true;
    this.#socket.destroy();
  }

  end(): void {
    if (this.#client === undefined) {
      this.#socket.destroy();
      return;
    }
    this.#client.end();
    this.#destroyLater();
  }

  #destroyLater(): void {
    const { signal } = this.#closed;
    if (signal.aborted) return;
    const timer = setTimeout(() => this.#socket.destroy(), GOODBYE_MS);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
