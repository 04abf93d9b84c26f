import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Runtime } from "#kernel/runtime.ts";

export type KnownBrowser = { readonly tokenHash: Buffer; readonly administratorId: string };

/**
 * The browser of one of the tokens, if it has signed in to the account of this e-mail address. A
 * new password ends what is known: a process of an earlier version sets it and deletes no rows here.
 */
export async function findKnownBrowser(
  runtime: Runtime,
  email: string,
  tokenHashes: readonly Buffer[],
): Promise<KnownBrowser | undefined> {
  const rows = await runtime.db.readAsSystem(sql<KnownBrowser>`
    select browser.token_hash as "tokenHash", browser.administrator_id as "administratorId"
      from known_browser browser
      join administrator on administrator.id = browser.administrator_id
     where browser.token_hash = any(${tokenHashes}::bytea[])
       and browser.expires_at > ${runtime.clock.now()}
       and browser.created_at >= administrator.tokens_valid_from
       and lower(administrator.email) = lower(${email}::text)
       and not administrator.disabled
     order by browser.created_at desc
     limit 1
  `);
  return rows[0];
}

/** Inserts nothing if the administrator was deleted meanwhile. */
export async function insertKnownBrowser(
  tx: TenantTx,
  { tokenHash, administratorId }: KnownBrowser,
  expiresAt: Date,
): Promise<void> {
  await tx.run(sql`
    insert into known_browser (token_hash, administrator_id, created_at, expires_at)
    select ${tokenHash}::bytea, id, ${tx.now}::timestamptz, ${expiresAt}::timestamptz
      from administrator
     where id = ${administratorId}
  `);
}

export async function deleteKnownBrowser(tx: TenantTx, tokenHash: Buffer): Promise<void> {
  await tx.run(sql`delete from known_browser where token_hash = ${tokenHash}`);
}

export async function deleteKnownBrowsersOf(tx: TenantTx, administratorId: string): Promise<void> {
  await tx.run(sql`delete from known_browser where administrator_id = ${administratorId}`);
}

/** Keeps the browsers that signed in last. */
export async function deleteOldestBrowsers(
  tx: TenantTx,
  administratorId: string,
  keptMax: number,
): Promise<void> {
  await tx.run(sql`
    delete from known_browser
     where token_hash in (
       select token_hash
         from known_browser
        where administrator_id = ${administratorId}
        order by created_at desc, token_hash
       offset ${keptMax}::integer)
  `);
}

export function deleteExpiredBrowsers(tx: TenantTx, count: number): Promise<number> {
  return tx.run(sql`
    delete from known_browser
     where ctid = any (array(
       select ctid
         from known_browser
        where expires_at <= ${tx.now}
        order by expires_at
        limit ${count}
          for update skip locked))
  `);
}
