import { makeBareServer, newId } from "../support/bare-server.ts";

/*
 * What one would write without a product around it: Fastify and a pool, the same look-up, and one
 * transaction with the scan and its event, of the same size and in the same kind of tables. No key is
 * checked, nothing is read twice, no privilege is shown, and nothing is counted, logged or audited.
 */

type Params = { tenantId: string };
type Body = { data: string; type: string };

const { app, pool, listen } = makeBareServer();

const LOOK_UP = `
  select id, pass_type, status, identifiers, data, expires_at
    from (select pass_id as found_id, issued_at as found_at
            from issued_code
           where tenant_id = $1
             and code_hash = substring(sha256(convert_to($2::text, 'UTF8')) for 16)
             and code = $2::text
           union all
          select $2::text collate "C", null
           union all
          select pass_id, null
            from pass_identifier
           where tenant_id = $1 and name = any($3::text[]) and value = $2::text and is_unique) as found
    join pass on pass.tenant_id = $1 and pass.id = found.found_id
   order by status = 'active' desc, coalesce(found_at, created_at) desc
   limit 1`;

const INSERT_SCAN = `
  insert into scan (tenant_id, id, data, type, scanner, pass_id, about, decision, reason, is_offline,
                    conflict, outcome, scanned_at, recorded_at)
  values ($1, $2, $3, $4, 'bare', $5, $6, $7, $8, false, false, $9, $10, $10)`;

app.post<{ Params: Params; Body: Body }>(
  "/api/:tenantId/scans",
  async ({ params: { tenantId }, body: { data, type } }, reply) => {
    const client = await pool.connect();
    try {
      const names = ["loyalty.number", "crm.id"];
      const { rows } = await client.query({
        name: "look-up",
        text: LOOK_UP,
        values: [tenantId, data, names],
      });
      const [found] = rows;
      const [id, now] = [newId("sc"), new Date()];
      const passId: string | null = found?.id ?? null;
      const reason =
        found === undefined ? "unknown-code" : found.status === "active" ? null : found.status;
      const decision = reason === null ? "accepted" : "rejected";
      const pass = found && {
        id: found.id,
        passType: found.pass_type,
        status: found.status,
        identifiers: found.identifiers,
        displayName: found.data.firstName,
      };
      const outcome = { pass: pass ?? null, privileges: [], movement: null };
      const view = {
        scanId: id,
        matched: passId !== null,
        decision,
        reason,
        passId,
        ...outcome,
        data,
        type,
        scannedAt: now,
        recordedAt: now,
      };
      await client.query("begin");
      await client.query({
        name: "insert-scan",
        text: INSERT_SCAN,
        values: [tenantId, id, data, type, passId, passId ?? "?", decision, reason, outcome, now],
      });
      await client.query({
        name: "insert-event",
        text: `insert into event (tenant_id, id, name, occurred_at, data, subject)
               values ($1, $2, 'scan.recorded', $3, $4, $5)`,
        values: [tenantId, newId("evt"), now, view, passId],
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
