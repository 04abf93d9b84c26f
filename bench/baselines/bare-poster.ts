import { createHmac, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { Agent, request } from "undici";
import { writeEnvelope } from "#src/events/public.ts";
import { EVENT_NAME, sampleEvent } from "../support/delivery-events.ts";

/*
 * What one would write without a product around it: a loop that signs a body it has at hand and
 * posts it. No database, no guard, no log, no second try.
 */

type Run = {
  readonly count: number;
  readonly concurrency: number;
  readonly endpoints: readonly string[];
};

const SECRET = randomBytes(48).toString("base64");
const agent = new Agent({ connections: 32, pipelining: 1 });
let rounds = 0;

async function run({ count, concurrency, endpoints }: Run): Promise<number> {
  rounds += 1;
  const occurredAt = new Date();
  const bodies = Array.from({ length: count }, (_, at) => {
    const event = { ...sampleEvent(rounds, at), tenantId: "bench", name: EVENT_NAME, occurredAt };
    return { id: event.id, text: writeEnvelope({ ...event, previousText: null }, "staging") };
  });
  let next = 0;
  const post = async () => {
    for (let at = next++; at < count; at = next++) {
      const { id, text } = bodies[at] ?? { id: "", text: "" };
      const body = Buffer.from(text);
      const headers = sign(id, body);
      const url = endpoints[at % endpoints.length] ?? "";
      const answer = await request(url, { method: "POST", headers, body, dispatcher: agent });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`The sink answered ${answer.statusCode}.`);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: concurrency }, post));
  return (performance.now() - startedAt) / 1_000;
}

/** The two signatures of a delivery, as the documentation of both schemes writes them. */
function sign(id: string, body: Buffer): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const standard = createHmac("sha256", Buffer.from(SECRET, "base64"));
  standard.update(`${id}.${timestamp}.`).update(body);
  return {
    "content-type": "application/json",
    "user-agent": "Billfold-Webhooks/1",
    "x-service-eventname": EVENT_NAME,
    "x-service-tenantid": "bench",
    "x-service-signature": createHmac("sha256", SECRET).update(body).digest("hex"),
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${standard.digest("base64")}`,
  };
}

createServer((request, response) => {
  if (request.method !== "POST") {
    response.end("ready");
    return;
  }
  json(request)
    .then((wanted) => run(wanted as Run))
    .then((seconds) => response.end(JSON.stringify({ seconds })))
    .catch((error) => response.writeHead(500).end(String(error)));
}).listen(Number(process.env.PORT), "127.0.0.1");
process.once("SIGTERM", () => process.exit(0));
