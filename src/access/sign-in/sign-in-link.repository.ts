import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Runtime } from "#kernel/runtime.ts";

export type LinkRow = {
  readonly administratorId: string | null;
  readonly email: string | null;
  readonly name: string | null;
};

export async function insertLink(
  tx: TenantTx,
  tokenHash: Buffer,
  administratorId: string | null,
  expiresAt: Date,
): Promise<void> {
  await tx.run(sql`
    insert into sign_in_link (token_hash, administrator_id, expires_at, created_at)
    values (${tokenHash}, ${administratorId}, ${expiresAt}, ${tx.now})
  `);
}

/** Returns undefined also if the administrator of the link is disabled. */
export async function findLink(runtime: Runtime, tokenHash: Buffer): Promise<LinkRow | undefined> {
  const rows = await runtime.db.readAsSystem(sql<LinkRow>`
    select link.administrator_id as "administratorId", administrator.email, administrator.name
      from sign_in_link link
      left join administrator on administrator.id = link.administrator_id
     where link.token_hash = ${tokenHash}
       and link.expires_at > ${runtime.clock.now()}
       and administrator.disabled is not true
  `);
  return rows[0];
}

/** Deletes the link, so that only one of two requests at the same time can use it. */
export function claimLink(
  tx: TenantTx,
  tokenHash: Buffer,
): Promise<{ administratorId: string | null } | undefined> {
  return tx.maybeOne(sql<{ administratorId: string | null }>`
    delete from sign_in_link
     where token_hash = ${tokenHash} and expires_at > ${tx.now}
    returning administrator_id as "administratorId"
  `);
}

export async function deleteLinksOf(tx: TenantTx, administratorId: string | null): Promise<void> {
  await tx.run(sql`
    delete from sign_in_link where administrator_id is not distinct from ${administratorId}::text
  `);
}

/** There are never many links, so no index leads to those that have expired. */
export function deleteExpiredLinks(tx: TenantTx, count: number): Promise<number> {
  return tx.run(sql`
    delete from sign_in_link
     where ctid = any (array(
       select ctid
         from sign_in_link
        where expires_at <= ${tx.now}
        limit ${count}
          for update skip locked))
  `);
}
