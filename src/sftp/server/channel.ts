import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerChannel } from "ssh2";
import type { Runtime } from "#kernel/runtime.ts";
import type { FolderSession } from "../folders/session.ts";
import { MalformedPacket, readPackets } from "../protocol/packet.reader.ts";
import { parseRequest, type SftpRequest } from "../protocol/request.ts";
import { refusalReply } from "./refusal-reply.ts";
import { UNSENT_BYTES_MAX } from "./server.limits.ts";
import { sftpMetricsOf } from "./sftp.metrics.ts";

const LOOK_MS = 50;

/** What an upload needs to come to its end. The answers to everything else would reach nobody. */
const OF_UPLOADS: ReadonlySet<SftpRequest["kind"]> = new Set(["write", "fsync", "close"]);

export type ChannelHost = {
  readonly runtime: Runtime;
  readonly ip: string;
  readonly socket: Socket;
  /** True once the process is about to stop. */
  isLeaving(): boolean;
  /** Called whenever a request begins or ends. */
  onActivity(): void;
};

/** One channel on which a client speaks SFTP. Its requests are answered one after the other. */
export class SftpChannel {
  readonly #host: ChannelHost;
  readonly #channel: ServerChannel;
  readonly #folders: FolderSession;
  readonly #closed: AbortSignal;
  /** How far the socket would have to be written for all answers to be on their way. */
  #handedBytes = 0;
  #isAnswering = false;

  /** `closed` is aborted when the channel or the connection is closed, by either side. */
  constructor(
    host: ChannelHost,
    channel: ServerChannel,
    folders: FolderSession,
    closed: AbortSignal,
  ) {
    this.#host = host;
    this.#channel = channel;
    this.#folders = folders;
    this.#closed = closed;
    // A channel that the client has closed cannot be written to, and says so by an error.
    channel.on("error", () => undefined);
  }

  get isBusy(): boolean {
    return this.#isAnswering || this.#folders.hasUploads;
  }

  /** What the client has sent, and nobody has looked at yet. */
  get receivedBytes(): number {
    return this.#channel.readableLength;
  }

  async serve(): Promise<void> {
    const { runtime, ip } = this.#host;
    try {
      for await (const packet of readPackets(this.#channel)) {
        await this.#answer(packet);
        if (this.#host.isLeaving() && !this.#folders.hasUploads) break;
      }
    } catch (error) {
      if (!(error instanceof MalformedPacket)) throw error;
      runtime.log.info({ ip, reason: error.message }, "sftp: not understood");
    } finally {
      this.#folders.end();
      this.#channel.exit(0);
      this.#channel.end();
    }
  }

  async #answer(packet: Buffer): Promise<void> {
    const { runtime } = this.#host;
    const { bytes } = sftpMetricsOf(runtime);
    const request = parseRequest(packet);
    if (this.#closed.aborted && !OF_UPLOADS.has(request.kind)) return;
    bytes.inc({ direction: "in" }, packet.length);
    this.#isAnswering = true;
    this.#host.onActivity();
    try {
      const reply = await this.#folders
        .answer(request)
        .catch((error: unknown) => refusalReply(runtime.log, request, error));
      bytes.inc({ direction: "out" }, reply.length);
      await this.#send(reply);
    } finally {
      this.#isAnswering = false;
      this.#host.onActivity();
    }
  }

  /** Waits for a client that does not read, so that answers do not pile up. */
  async #send(reply: Buffer): Promise<void> {
    // The library neither writes to a closed channel nor says that it did not.
    if (this.#closed.aborted) return;
    const { socket } = this.#host;
    this.#handedBytes = Math.max(this.#handedBytes, socket.bytesWritten) + reply.length;
    if (!this.#channel.write(reply)) await this.#drained(this.#channel);
    if (socket.writableLength > UNSENT_BYTES_MAX) await this.#drained(socket);
    // While the client changes the keys of the connection, the library collects everything and says
    // that it was written: a client that never ends the change would fill the memory.
    const isHeld = () => this.#handedBytes - socket.bytesWritten > UNSENT_BYTES_MAX;
    while (isHeld() && !this.#closed.aborted) await sleep(LOOK_MS);
  }

  async #drained(stream: ServerChannel | Socket): Promise<void> {
    await once(stream, "drain", { signal: this.#closed }).catch(() => undefined);
  }
}
