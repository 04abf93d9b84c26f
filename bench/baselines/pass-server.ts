import { randomBytes } from "node:crypto";
import { makeBareServer, newId } from "../support/bare-server.ts";

/*
 * What one would write without a product around it: Fastify and a pool, and one transaction with the
 * pass, its identifiers and its event, of the same size and in the same kind of tables. No key is
 * checked, no data is checked, nothing is counted, logged or audited.
 */

type Params = { tenantId: string };
type Body = { identifiers: Record<string, string>; additionalData: Record<string, unknown> };

const { app, pool, listen } = makeBareServer();

app.post<{ Params: Params; Querystring: { passType: string }; Body: Body }>(
  "/api/:tenantId/passes",
  async ({ params: { tenantId }, query: { passType }, body }, reply) => {
    const [id, secret, now] = [newId("ps"), randomBytes(12).toString("hex"), new Date()];
    const { identifiers, additionalData } = body;
    const expires = new Date(now.getTime() + 2 * 365 * 86_400_000);
    const client = await pool.connect();
    try {
      await client.query("begin");
      await client.query({
        name: "insert-pass",
        text: `insert into pass (tenant_id, id, pass_type, status, identifiers, data, secret,
                                 created_at, updated_at, expires_at)
               values ($1, $2, $3, 'active', $4, $5, $6, $7, $7, $8)`,
        values: [tenantId, id, passType, identifiers, additionalData, secret, now, expires],
      });
      await client.query({
        name: "insert-identifiers",
        text: `insert into pass_identifier (tenant_id, name, value, pass_id, pass_type, is_unique)
               select $1, name, value, $2, $3, true
                 from unnest($4::text[], $5::text[]) as identifier (name, value)`,
        values: [tenantId, id, passType, Object.keys(identifiers), Object.values(identifiers)],
      });
      const none = { status: "none", installedAt: null, uninstalledAt: null, devices: 0 };
      const view = {
        id,
        passType,
        status: "active",
        identifiers,
        additionalData,
        metadata: {},
        providers: { apple: none, google: none },
        creationDate: now.toISOString(),
        lastUpdateDate: now.toISOString(),
        expirationDate: expires.toISOString(),
        version: 1,
      };
      await client.query({
        name: "insert-event",
        text: `insert into event (tenant_id, id, name, occurred_at, data, subject)
               values ($1, $2, 'pass.created', $3, $4, $5)`,
        values: [tenantId, newId("evt"), now, view, id],
      });
      await client.query("commit");
      return reply.code(201).send({ ...view, secret });
    } catch (error) {
      await client.query("rollback");
      throw error;
    } finally {
      client.release();
    }
  },
);

await listen();
