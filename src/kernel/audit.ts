import { sql } from "./db/sql.ts";
import type { TenantTx } from "./db/transaction.ts";
import { newId } from "./ids.ts";

/** Writes the audit entries of a transaction, just before its commit. */
export async function writeAudit(tx: TenantTx): Promise<void> {
  const entries = tx.pendingAudit.splice(0);
  if (entries.length === 0) return;
  const { actor, op, requestId, ip } = tx.origin;
  const rows = entries.map((entry) => ({
    tenant_id: tx.tenantId,
    id: newId("aud", tx.now.getTime()),
    at: tx.now,
    actor_kind: actor.kind,
    actor_id: actor.id,
    op,
    target: entry.target,
    request_id: requestId,
    ip,
    before: entry.before ?? null,
    after: entry.after ?? null,
  }));
  tx.defer(sql`
    insert into audit (tenant_id, id, at, actor_kind, actor_id, op, target, request_id, ip, before, after)
    select tenant_id, id, at, actor_kind, actor_id, op, target, request_id, ip, before, after
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as entry (
        tenant_id text, id text, at timestamptz, actor_kind text, actor_id text, op text,
        target text, request_id text, ip text, before jsonb, after jsonb)
  `);
}
