import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

export type SubjectNews = {
  readonly connector: string;
  readonly subject: string;
  readonly at: Date;
  readonly isGone: boolean;
  /** Somebody asks to be forgotten. */
  readonly isErasure: boolean;
};

/**
 * Notes how new the news of a subject is. Returns false if newer ones are known: then these must be
 * passed over. An erasure is never passed over: a vendor may ask for one that began before its last
 * change. Transactions with news of the same subject come one after the other.
 */
export async function noteNews(
  tx: TenantTx,
  { connector, subject, at, isGone, isErasure }: SubjectNews,
): Promise<boolean> {
  const count = await tx.run(sql`
    insert into connector_subject as known (tenant_id, connector, subject, newest, gone)
    values (${tx.tenantId}, ${connector}, ${subject}, ${at}, ${isGone})
        on conflict (tenant_id, connector, subject) do update
       set newest = greatest(known.newest, excluded.newest), gone = excluded.gone
     where ${isErasure}
        or known.newest < excluded.newest
        or (known.newest = excluded.newest and not known.gone)
  `);
  return count > 0;
}

/** Those of these subjects that are gone; with a time, that were gone then or later. */
export async function listGone(
  tx: TenantTx,
  connector: string,
  subjects: readonly string[],
  at: Date | null = null,
): Promise<string[]> {
  const rows = await tx.many(goneAmong(tx, connector, subjects, at));
  return rows.map(({ subject }) => subject);
}

function goneAmong(
  tx: TenantTx,
  connector: string,
  subjects: readonly string[],
  at: Date | null,
): Sql<{ subject: string }> {
  return sql<{ subject: string }>`
    select subject
      from connector_subject
     where tenant_id = ${tx.tenantId}
       and connector = ${connector}
       and subject = any(${subjects}::text[])
       and gone
       and (${at}::timestamptz is null or newest >= ${at})
  `;
}

/**
 * Makes the transaction fail and run again if one of these is gone by now, although `listGone` has not
 * listed it: it may have waited for the erasure since, and must not make anew what that has deleted.
 */
export function requireNotGone(
  tx: TenantTx,
  connector: string,
  subjects: readonly string[],
  at: Date | null,
): void {
  tx.defer(sql`
    select require_guess(not exists (${goneAmong(tx, connector, subjects, at)}))
  `);
}

/** For erasures: what happened to these until now must not bring anybody back. */
export function markGone(
  tx: TenantTx,
  gone: readonly { readonly connector: string; readonly subject: string }[],
): void {
  tx.defer(sql`
    insert into connector_subject as known (tenant_id, connector, subject, newest, gone)
    select distinct ${tx.tenantId}, connector, subject, ${tx.now}::timestamptz, true
      from unnest(${gone.map(({ connector }) => connector)}::text[],
                  ${gone.map(({ subject }) => subject)}::text[]) as erased (connector, subject)
     order by connector, subject
        on conflict (tenant_id, connector, subject) do update
       set newest = greatest(known.newest, excluded.newest), gone = true
  `);
}
