import { createHash, randomBytes } from "node:crypto";
import fastify from "fastify";
import pg from "pg";
import { BARE_OPTIONS } from "../support/bare-tables.ts";

/*
 * What one would write without a product around it: Fastify and a pool, the same rows in the same
 * kind of tables. No key is checked, nothing is counted, logged or validated.
 */

type Params = { tenantId: string; keyName: string };
type Body = { name: string; scopes: string[] };

const { DATABASE_URL, PORT } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10, options: BARE_OPTIONS });
const app = fastify({ logger: false });

app.get("/ready", async () => {
  await pool.query("select 1");
  return {};
});

app.get<{ Params: Params }>("/api/:tenantId/admin/apiKeys/:keyName", async (request, reply) => {
  const { tenantId, keyName } = request.params;
  const { rows } = await pool.query({
    name: "read",
    text: `select name, scopes, expires_at as "expiresAt", created_at as "createdAt",
                  created_by as "createdBy", last_used_at as "lastUsedAt", prefix
             from api_key
            where tenant_id = $1 and kind = 'api-key' and name = $2`,
    values: [tenantId, keyName],
  });
  return rows[0] ?? reply.code(404).send();
});

app.post<{ Params: Params; Body: Body }>(
  "/api/:tenantId/admin/apiKeys",
  async ({ params: { tenantId }, body, ip, id: requestId }, reply) => {
    const token = `bf_${randomBytes(32).toString("base64url")}`;
    const [id, now] = [randomBytes(16).toString("hex"), new Date()];
    const hash = createHash("sha256").update(token).digest();
    const client = await pool.connect();
    try {
      await client.query("begin");
      const { rows } = await client.query({
        name: "insert-key",
        text: `insert into api_key (tenant_id, id, name, hash, prefix, scopes, created_at, created_by)
               values ($1, $2, $3, $4, $5, $6, $7, 'bench')
               returning name, scopes, expires_at as "expiresAt", created_at as "createdAt",
                         created_by as "createdBy", last_used_at as "lastUsedAt", prefix`,
        values: [tenantId, id, body.name, hash, token.slice(0, 12), body.scopes, now],
      });
      const view = JSON.stringify(rows[0]);
      await client.query({
        name: "insert-event",
        text: `insert into event (tenant_id, id, name, occurred_at, data)
               values ($1, $2, 'api-key.created', $3, $4)`,
        values: [tenantId, id, now, view],
      });
      await client.query({
        name: "insert-audit",
        text: `insert into audit (tenant_id, id, at, actor_kind, actor_id, op, target, request_id, ip, after)
               values ($1, $2, $3, 'api-key', 'bench', 'api-key.create', $4, $5, $6, $7)`,
        values: [tenantId, id, now, `api-key:${body.name}`, requestId, ip, view],
      });
      await client.query("commit");
      return reply.code(201).send({ ...rows[0], token });
    } catch (error) {
      await client.query("rollback");
      throw error;
    } finally {
      client.release();
    }
  },
);

process.once("SIGTERM", () => void app.close().then(() => pool.end()));
await app.listen({ port: Number(PORT), host: "127.0.0.1" });
