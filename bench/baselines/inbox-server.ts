import { createHmac, timingSafeEqual } from "node:crypto";
import { makeBareServer, newId } from "../support/bare-server.ts";

/*
 * What one would write without a product around it: Fastify and a pool, the signature over the bytes, and
 * one insert of the same row into the same kind of table. The secret is a constant, no address is checked,
 * and nothing is counted or logged.
 */

const { app, pool, listen } = makeBareServer();
const SECRET = "hush";

const INSERT = `
  insert into inbound_delivery (tenant_id, id, connector, dedupe_key, topic, subject, tells,
                                occurred_at, received_at, headers, body, next_attempt_at)
  values ($1, $2, 'shopify', $3, $4, $5, null, $6, $7, $8, $9, $7)
      on conflict (tenant_id, connector, dedupe_key) do nothing`;

app.removeAllContentTypeParsers();
app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

app.post<{ Params: { tenantId: string }; Body: Buffer }>(
  "/api/:tenantId/inbox",
  async ({ params: { tenantId }, headers, body }, reply) => {
    const mac = createHmac("sha256", SECRET).update(body).digest();
    const sent = Buffer.from(String(headers["x-shopify-hmac-sha256"]), "base64");
    if (sent.length !== mac.length || !timingSafeEqual(sent, mac)) return reply.code(401).send();
    const { id } = JSON.parse(body.toString());
    const topic = String(headers["x-shopify-topic"]);
    const happened = new Date(String(headers["x-shopify-triggered-at"]));
    const now = new Date();
    const key = String(headers["x-shopify-webhook-id"]);
    await pool.query({
      name: "insert",
      text: INSERT,
      values: [tenantId, newId("inb"), key, topic, `orderId=${id}`, happened, now, headers, body],
    });
    return reply.code(200).send();
  },
);

await listen();
