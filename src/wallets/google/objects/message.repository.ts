import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

export type GoogleMessage = {
  readonly id: string;
  readonly passId: string;
  readonly title: string | null;
  readonly content: string | null;
  readonly localizedContent: Readonly<Record<string, string>>;
};

/** Only for passes that are at Google, or will be. */
export function insertMessage(tx: TenantTx, message: GoogleMessage): void {
  const { id, passId, title, content, localizedContent } = message;
  tx.defer(sql`
    insert into google_message (tenant_id, id, pass_id, title, content, localized_content, created_at)
    select tenant_id, ${id}, pass_id, ${title}::text, ${content}::text,
           ${JSON.stringify(localizedContent)}::jsonb, ${tx.now}::timestamptz
      from google_object
     where tenant_id = ${tx.tenantId} and pass_id = ${passId}
  `);
}

export function listWaitingMessages(
  context: TenantContext,
  passId: string,
): Promise<GoogleMessage[]> {
  return context.read(sql<GoogleMessage>`
    select id, pass_id as "passId", title, content, localized_content as "localizedContent"
      from google_message
     where tenant_id = ${context.tenantId} and pass_id = ${passId} and sent_at is null
     order by id
  `);
}

/**
 * A change that Google told the holder of by itself: it counts like a message that has notified, and
 * has no text.
 */
export async function insertAnnounced(tx: TenantTx, id: string, passId: string): Promise<void> {
  await tx.run(sql`
    insert into google_message
           (tenant_id, id, pass_id, localized_content, created_at, sent_at, has_notified)
    select tenant_id, ${id}, pass_id, '{}'::jsonb, ${tx.now}::timestamptz, now(), true
      from google_object
     where tenant_id = ${tx.tenantId} and pass_id = ${passId} and not is_erased
  `);
}

/** How many messages and announced changes, also of its class, made the phone ring within 24 hours. */
export async function countNotified(context: TenantContext, passId: string): Promise<number> {
  const [row] = await context.read(sql<{ count: number }>`
    select ((select count(*)
               from google_message
              where tenant_id = ${context.tenantId} and pass_id = ${passId}
                and has_notified and sent_at > now() - interval '24 hours')
            + (select count(*)
                 from google_object
                 join google_class using (tenant_id, class_id), unnest(notified_at) as rang(at)
                where google_object.tenant_id = ${context.tenantId} and pass_id = ${passId}
                  and rang.at > now() - interval '24 hours'))::int as count
  `);
  return row?.count ?? 0;
}

export type SentMessage = {
  readonly id: string;
  readonly hasNotified: boolean;
  /** What Google answered, if it refused the message for good. */
  readonly problem: string | null;
};

export async function updateSent(tx: TenantTx, sent: SentMessage): Promise<void> {
  await tx.run(sql`
    update google_message
       set sent_at = now(), has_notified = ${sent.hasNotified}, problem = ${sent.problem}
     where tenant_id = ${tx.tenantId} and id = ${sent.id}
  `);
}

export function deleteMessages(tx: TenantTx, passIds: readonly string[]): void {
  tx.defer(sql`
    delete from google_message
     where tenant_id = ${tx.tenantId} and pass_id = any(${passIds}::text[])
  `);
}

/** A transaction that sees all tenants deletes those of all tenants. */
export function deleteOldMessages(tx: TenantTx, before: Date): Promise<number> {
  return tx.run(sql`delete from google_message where created_at < ${before}`);
}
