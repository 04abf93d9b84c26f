import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** The last message to the holder of a pass. Its texts are either `content` or `localizedContent`. */
export type PassMessage = {
  readonly id: string;
  readonly title: string | null;
  readonly content: string | null;
  /** By language. */
  readonly localizedContent: Record<string, string>;
  readonly sentAt: Date;
  /** How many messages went before: the same text sent twice is two messages. */
  readonly earlier: number;
};

export async function findMessage(
  context: TenantContext,
  passId: string,
): Promise<PassMessage | undefined> {
  const [message] = await context.read(sql<PassMessage>`
    select id, title, content, localized_content as "localizedContent", sent_at as "sentAt",
           earlier
      from pass_message
     where tenant_id = ${context.tenantId} and pass_id = ${passId}
  `);
  return message;
}

/** The same message once more changes nothing. */
export function upsertMessage(
  tx: TenantTx,
  passId: string,
  message: Omit<PassMessage, "earlier">,
): void {
  const { id, title, content, localizedContent, sentAt } = message;
  tx.defer(sql`
    insert into pass_message as known (tenant_id, pass_id, id, title, content, localized_content, sent_at)
    values (${tx.tenantId}, ${passId}, ${id}, ${title}, ${content},
            ${JSON.stringify(localizedContent)}::jsonb, ${sentAt})
        on conflict (tenant_id, pass_id) do update
           set id = excluded.id, title = excluded.title, content = excluded.content,
               localized_content = excluded.localized_content, sent_at = excluded.sent_at,
               earlier = known.earlier + case when known.id = excluded.id then 0 else 1 end
  `);
}

export function deleteMessages(tx: TenantTx, passIds: readonly string[]): void {
  tx.defer(sql`
    delete from pass_message where tenant_id = ${tx.tenantId} and pass_id = any(${passIds}::text[])
  `);
}
