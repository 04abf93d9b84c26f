import { once } from "node:events";
import { createServer } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { json } from "node:stream/consumers";

/*
 * What one would write without a product around it: a loop over HTTP/2 that pushes to tokens it has
 * at hand. No database, no ledger, no second try, no time limit.
 */

type Run = {
  readonly url: string;
  readonly authorityPem: string;
  readonly certificatePem: string;
  readonly keyPem: string;
  readonly topic: string;
  readonly count: number;
  readonly sessions: number;
  readonly streamsPerSession: number;
};

let open: ClientHttp2Session[] = [];

async function run(wanted: Run): Promise<number> {
  const { topic, count, streamsPerSession } = wanted;
  if (open.length === 0) open = await connectAll(wanted);
  const tokens = Array.from({ length: count }, (_, at) => at.toString(16).padStart(64, "0"));
  const expiration = String(Math.floor(Date.now() / 1_000) + 86_400);
  let next = 0;
  const loop = async (session: ClientHttp2Session) => {
    for (let at = next++; at < count; at = next++) {
      await push(session, {
        ":method": "POST",
        ":path": `/3/device/${tokens[at]}`,
        "apns-topic": topic,
        "apns-push-type": "background",
        "apns-priority": "5",
        "apns-expiration": expiration,
      });
    }
  };
  const startedAt = performance.now();
  await Promise.all(
    open.flatMap((session) => Array.from({ length: streamsPerSession }, () => loop(session))),
  );
  return (performance.now() - startedAt) / 1_000;
}

function connectAll({ url, authorityPem, certificatePem, keyPem, sessions }: Run) {
  const options = { ca: authorityPem, cert: certificatePem, key: keyPem };
  return Promise.all(
    Array.from({ length: sessions }, async () => {
      const session = connect(url, options);
      await once(session, "remoteSettings");
      return session;
    }),
  );
}

function push(session: ClientHttp2Session, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: false });
    let status: number | undefined;
    stream.on("response", (answer) => {
      status = answer[":status"];
    });
    stream.on("error", reject);
    stream.on("close", () => {
      if (status === 200) resolve();
      else reject(new Error(`The push service answered ${status}.`));
    });
    stream.resume();
    stream.end("{}");
  });
}

createServer((request, response) => {
  if (request.method !== "POST") {
    response.end("ready");
    return;
  }
  const startedWith = process.cpuUsage();
  json(request)
    .then((wanted) => run(wanted as Run))
    .then((seconds) => {
      const { user, system } = process.cpuUsage(startedWith);
      response.end(JSON.stringify({ seconds, processorSeconds: (user + system) / 1_000_000 }));
    })
    .catch((error) => response.writeHead(500).end(String(error)));
}).listen(Number(process.env.PORT), "127.0.0.1");
process.once("SIGTERM", () => process.exit(0));
