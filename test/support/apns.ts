import { once } from "node:events";
import {
  constants,
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { provide } from "#kernel/port.ts";
import { walletServices } from "#src/wallets/public.ts";
import { issueCertificate } from "./certificates.ts";

export type ReceivedPush = {
  readonly token: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The name in the certificate of whoever pushed. */
  readonly sender: string | undefined;
};

/**
 * `cut` ends the connection after the request came, `goaway` announces it without having processed the
 * request, `hang` never answers.
 */
export type PushReply =
  | { readonly status: number; readonly body?: unknown }
  | "cut"
  | "goaway"
  | "hang";

type Owner = { after(undo: () => Promise<void>): void };

/** Stands in for Apple's push service: HTTP/2 over TLS, with the certificate of the client. */
export async function startApns(owner: Owner, { streamsMax = 100 } = {}) {
  const own = issueCertificate({ name: { CN: "localhost" } });
  const received: ReceivedPush[] = [];
  const sessions = new Set<ServerHttp2Session>();
  /** Reading a certificate takes as long as some pushes. */
  const senders = new WeakMap<object, string | undefined>();
  /** `streamsMost` is how many requests at once one connection had at most. */
  const counts = { sessions: 0, streamsMost: 0 };
  const streams = new WeakMap<object, number>();
  let reply: (push: ReceivedPush) => PushReply | Promise<PushReply> = () => ({ status: 200 });

  const server = createSecureServer({
    key: own.keyPem,
    cert: own.certificate,
    requestCert: true,
    rejectUnauthorized: false,
    settings: { maxConcurrentStreams: streamsMax },
  });
  server.on("session", (session) => {
    counts.sessions += 1;
    const socket = session.socket as TLSSocket;
    senders.set(session, (socket.getPeerCertificate().subject as { UID?: string }).UID);
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    session.on("error", () => undefined);
  });
  server.on("stream", (stream, headers) => {
    const connection = stream.session ?? server;
    const count = (change: number) => {
      streams.set(connection, (streams.get(connection) ?? 0) + change);
    };
    count(1);
    counts.streamsMost = Math.max(counts.streamsMost, streams.get(connection) ?? 0);
    stream.on("close", () => count(-1));
    stream.on("error", () => undefined);
    let body = "";
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      body += chunk;
    });
    stream.on("end", () => {
      const token = String(headers[":path"]).replace("/3/device/", "");
      const sender = stream.session && senders.get(stream.session);
      const push = { token, headers, body, sender };
      received.push(push);
      const replied = reply(push);
      if (replied instanceof Promise) void replied.then((late) => answer(stream, late));
      else answer(stream, replied);
    });
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  owner.after(async () => {
    for (const session of sessions) session.destroy();
    server.close();
  });

  const service = { url: `https://localhost:${port}`, authority: own.certificate };
  let isThere = true;
  const unused = () => Promise.reject(new Error("Nobody asks for Google here."));
  return {
    received,
    counts,
    /** Where it answers, and the certificate that it is known by. */
    service,
    /** For `provides` of the product under test. */
    provision: provide(walletServices, {
      // Nothing listens on the port of a service that is away.
      apple: async () => (isThere ? service : { ...service, url: "https://localhost:9" }),
      google: unused,
    }),
    answer(next: (push: ReceivedPush) => PushReply | Promise<PushReply>): void {
      reply = next;
    },
    setThere(there: boolean): void {
      isThere = there;
      if (!there) for (const session of sessions) session.destroy();
    },
  };
}
export type Apns = Awaited<ReturnType<typeof startApns>>;

function answer(stream: ServerHttp2Stream, reply: PushReply): void {
  const { session } = stream;
  if (reply === "hang" || stream.destroyed) return;
  if (reply === "cut") return void session?.socket.destroy();
  if (reply === "goaway") {
    // Everything from this stream on is not processed.
    session?.goaway(constants.NGHTTP2_NO_ERROR, Math.max(0, (stream.id ?? 1) - 2));
    return;
  }
  const { status, body } = reply;
  stream.respond({ ":status": status }, { endStream: body === undefined });
  if (body !== undefined) stream.end(JSON.stringify(body));
}
