import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import { listTenantsIn } from "#kernel/db/tenants-in.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { ObjectState } from "./object.repository.ts";

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

export type WaitingMessage = GoogleMessage & { readonly createdAt: Date };

export function listWaitingMessages(
  context: TenantContext,
  passId: string,
): Promise<WaitingMessage[]> {
  return context.read(sql<WaitingMessage>`
    select id, pass_id as "passId", title, content, localized_content as "localizedContent",
           created_at as "createdAt"
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

/** False if that is recorded already, or the message was erased. */
export async function updateSent(tx: TenantTx, sent: SentMessage): Promise<boolean> {
  const count = await tx.run(sql`
    update google_message
       set sent_at = now(), has_notified = ${sent.hasNotified}, problem = ${sent.problem}
     where tenant_id = ${tx.tenantId} and id = ${sent.id} and sent_at is null
  `);
  return count === 1;
}

export function deleteMessages(tx: TenantTx, passIds: readonly string[]): void {
  tx.defer(sql`
    delete from google_message
     where tenant_id = ${tx.tenantId} and pass_id = any(${passIds}::text[])
  `);
}

export function listTenantsOfMessages(context: SystemContext): Promise<string[]> {
  return listTenantsIn(context, sql`google_message`);
}

/** Deletes messages that Google took or refused before. Returns how many. */
export function deleteSentBefore(tx: TenantTx, before: Date, count: number): Promise<number> {
  return tx.run(sql`
    with old as materialized (
      select id
        from google_message
       where tenant_id = ${tx.tenantId} and sent_at < ${before}
       order by sent_at
       limit ${count}
         for update skip locked)
    delete from google_message
     where tenant_id = ${tx.tenantId} and id in (select id from old)
  `);
}

export type UnsentMessage = {
  readonly id: string;
  readonly passId: string;
  readonly passType: string;
  readonly createdAt: Date;
  /** `denied` if Google refuses the account, `failed` if it refused the pass itself. */
  readonly state: ObjectState["state"];
};

/**
 * Deletes messages that have waited since then. Those of a pass that a worker has claimed stay: it may be sending
 * them just now. The rows of the others are locked, so that no worker claims them before the commit.
 */
export function deleteUnsentBefore(
  tx: TenantTx,
  before: Date,
  count: number,
): Promise<UnsentMessage[]> {
  return tx.many(sql<UnsentMessage>`
    with unsent as materialized (
      select message.id, message.pass_id, message.created_at, object.state
        from google_message as message
        join google_object as object using (tenant_id, pass_id)
       where message.tenant_id = ${tx.tenantId}
         and message.created_at < ${before}
         and message.sent_at is null
         and (object.claim_token is null or object.due_at <= now())
       order by message.created_at
       limit ${count}
         for update skip locked
    ), deleted as (
      delete from google_message
       where tenant_id = ${tx.tenantId} and id in (select id from unsent)
    )
    select unsent.id, unsent.pass_id as "passId", pass.pass_type as "passType",
           unsent.created_at as "createdAt",
           -- While the account is refused, most passes are not tried at all.
           case when exists (select from google_halt where tenant_id = ${tx.tenantId})
                then 'denied' else unsent.state end as state
      from unsent
      join pass on pass.tenant_id = ${tx.tenantId} and pass.id = unsent.pass_id
     order by unsent.created_at, unsent.id
  `);
}
