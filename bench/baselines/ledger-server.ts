import { makeBareServer, newId } from "../support/bare-server.ts";

/*
 * What one would write without a product around it: Fastify and a pool, and one transaction that
 * locks the privilege, writes the movement, its event and its audit row, of the same size and in the
 * same kind of tables. No key is checked, no rule is applied, nothing is counted or logged.
 */

type Params = { tenantId: string; passId: string; privilegeId: string };
type Body = { value: number };

const { app, pool, listen } = makeBareServer();

app.post<{ Params: Params; Body: Body }>(
  "/api/:tenantId/passes/:passId/privileges/:privilegeId/movements",
  async ({ params: { tenantId, passId, privilegeId }, body: { value }, ip, id }, reply) => {
    const [movementId, now] = [newId("mv"), new Date()];
    const client = await pool.connect();
    try {
      await client.query("begin");
      const { rows } = await client.query({
        name: "lock-privilege",
        text: `select id, name, type, value::float8 as value, status, sequence, version, updated_at
                 from privilege where tenant_id = $1 and pass_id = $2 and id = $3 for update`,
        values: [tenantId, passId, privilegeId],
      });
      const [privilege] = rows;
      const valueAfter = privilege.value + value;
      const sequence = privilege.sequence + 1;
      await client.query({
        name: "update-privilege",
        text: `update privilege
                  set value = $4, sequence = $5, version = version + 1, updated_at = $6
                where tenant_id = $1 and pass_id = $2 and id = $3`,
        values: [tenantId, passId, privilegeId, valueAfter, sequence, now],
      });
      await client.query({
        name: "insert-movement",
        text: `insert into movement (tenant_id, pass_id, privilege_id, sequence, id, type, value,
                                     value_before, value_after, occurred_at, created_at)
               values ($1, $2, $3, $4, $5, 'issuance', $6, $7, $8, $9, $9)`,
        values: [
          ...[tenantId, passId, privilegeId, sequence, movementId],
          ...[value, privilege.value, valueAfter, now],
        ],
      });
      const view = {
        movementId,
        privilegeId,
        type: "issuance",
        value,
        valueBefore: privilege.value,
        valueAfter,
        sequence,
        createdAt: now.toISOString(),
      };
      await client.query({
        name: "insert-event",
        text: `insert into event (tenant_id, id, name, occurred_at, data, subject)
               values ($1, $2, 'privilege.moved', $3, $4, $5)`,
        values: [
          ...[tenantId, newId("evt"), now],
          ...[{ passId, ...view, privilege: { ...privilege, value: valueAfter } }, passId],
        ],
      });
      await client.query({
        name: "insert-audit",
        text: `insert into audit (tenant_id, id, at, actor_kind, actor_id, op, target, request_id, ip, after)
               values ($1, $2, $3, 'api-key', 'bench', 'movement.create', $4, $5, $6, $7)`,
        values: [tenantId, newId("au"), now, `privilege:${passId}/${privilegeId}`, id, ip, view],
      });
      await client.query("commit");
      return reply.code(201).send(view);
    } catch (error) {
      await client.query("rollback");
      throw error;
    } finally {
      client.release();
    }
  },
);

await listen();
