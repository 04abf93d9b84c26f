import { sql } from "../db/sql.ts";
import type { TenantTx } from "../db/transaction.ts";
import { insertEvents } from "./outbox.ts";

/**
 * Erases what is stored about these subjects: the bodies of their events, the stored answers to
 * requests about them, and what listeners to erasures have stored. The fact and the time of each event
 * stay. Call it in the transaction that erases the record itself, before the event about the erasure is
 * emitted.
 */
export async function eraseTracesOf(tx: TenantTx, subjects: readonly string[]): Promise<void> {
  storePending(tx, new Set(subjects));
  for (const subject of subjects) tx.pendingErasures.add(subject);
  // In the order of their ids, as others lock events that must not be erased meanwhile.
  await tx.run(sql`
    with about as materialized (
      select id
        from event
       where tenant_id = ${tx.tenantId} and subject = any(${subjects}::text[])
       order by event.id
         for no key update)
    update event
       set data = jsonb_build_object('id', subject, 'erased', true), previous = null
      from about
     where event.tenant_id = ${tx.tenantId} and event.id = about.id
  `);
  // The row is kept, so that a repeated request is refused and does not create the subject again.
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

/**
 * Writes what this transaction was going to tell of the subjects, so that it is erased with the
 * rest. Nobody hears of it any more.
 */
function storePending(tx: TenantTx, subjects: ReadonlySet<string>): void {
  const isAbout = ({ subject }: { subject: string | undefined }) =>
    subject !== undefined && subjects.has(subject);
  const about = tx.pendingEvents.filter(isAbout);
  if (about.length === 0) return;
  const others = tx.pendingEvents.filter((event) => !isAbout(event));
  tx.pendingEvents.splice(0, tx.pendingEvents.length, ...others);
  insertEvents(
    tx,
    about.map((event) => ({ ...event, occurredAt: tx.now })),
  );
}
