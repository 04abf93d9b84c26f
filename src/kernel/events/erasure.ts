import { sql } from "../db/sql.ts";
import type { TenantTx } from "../db/transaction.ts";

/**
 * Forgets what was told of these subjects: the bodies of their events and the stored answers to the
 * requests that told of them. That something happened stays, and when. To be called before the event
 * that tells of the erasure is emitted, in the transaction that erases the record itself.
 */
export async function eraseTracesOf(tx: TenantTx, subjects: readonly string[]): Promise<void> {
  await tx.run(sql`
    update event
       set data = jsonb_build_object('id', subject, 'erased', true), previous = null
     where tenant_id = ${tx.tenantId} and subject = any(${subjects}::text[])
  `);
  // The row stays: a request that is sent again must not bring back whom it was about.
  await tx.run(sql`
    update idempotent_answer as stored
       set answer = null, body_hash = ''
      from idempotent_subject as told
     where told.tenant_id = ${tx.tenantId}
       and told.subject = any(${subjects}::text[])
       and stored.tenant_id = told.tenant_id
       and stored.credential_id = told.credential_id
       and stored.op = told.op
       and stored.key_hash = told.key_hash
  `);
}
