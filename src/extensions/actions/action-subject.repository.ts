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
 * True if newer ones are known than these: then they must be passed over. An erasure is never passed
 * over: a vendor may ask for one that began before its last change. Transactions with news of the
 * same subject come one after the other from here on. They wait for an advisory lock and not for the
 * row: that is locked last, by `noteNews` as by `markGone` of an erasure, which has the passes then.
 */
export async function isOldNews(tx: TenantTx, news: SubjectNews): Promise<boolean> {
  const { connector, subject } = news;
  const name = `${tx.tenantId} news ${connector} ${subject}`;
  tx.defer(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
  const { isOld } = await tx.one(sql<{ isOld: boolean }>`
    select exists (
      select from connector_subject as known
       where tenant_id = ${tx.tenantId} and connector = ${connector} and subject = ${subject}
         and not (${isNewer(news)})) as "isOld"
  `);
  return isOld;
}

/**
 * Notes how new the news of a subject is, after everything else that the transaction locks. Makes it
 * fail and run again if somebody was erased since `isOldNews` found that nothing newer is known.
 */
export function noteNews(tx: TenantTx, news: SubjectNews): void {
  const { connector, subject, at, isGone } = news;
  tx.defer(sql`
    with noted as (
      insert into connector_subject as known (tenant_id, connector, subject, newest, gone)
      values (${tx.tenantId}, ${connector}, ${subject}, ${at}, ${isGone})
          on conflict (tenant_id, connector, subject) do update
         set newest = greatest(known.newest, excluded.newest), gone = excluded.gone
       where ${isNewer(news)}
      returning 1)
    select require_guess(exists (select from noted))
  `);
}

/** Whether news count beside what is known. */
function isNewer({ at, isErasure }: SubjectNews): Sql {
  return sql`
    ${isErasure}::boolean
    or known.newest < ${at}::timestamptz
    or (known.newest = ${at}::timestamptz and not known.gone)`;
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
