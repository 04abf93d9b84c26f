import { hash } from "node:crypto";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Runtime } from "#kernel/runtime.ts";

export type RecordKeys = {
  readonly accountId: string | null;
  readonly grantHash: Buffer | null;
  readonly uidHash: Buffer | null;
  readonly userCodeHash: Buffer | null;
  readonly expiresAt: Date | null;
};

export type RecordRow = {
  readonly idHash: Buffer;
  readonly payload: Buffer;
  readonly consumedAt: Date | null;
};

const recordColumns = sql<RecordRow>`
  id_hash as "idHash", payload, consumed_at as "consumedAt"
`;

export function hashId(id: string): Buffer {
  return hash("sha256", id, "buffer");
}

export async function upsertRecord(
  runtime: Runtime,
  model: string,
  idHash: Buffer,
  payload: Buffer,
  keys: RecordKeys,
): Promise<void> {
  const { accountId, grantHash, uidHash, userCodeHash, expiresAt } = keys;
  await runtime.db.readAsSystem(sql`
    insert into authorization_record
      (model, id_hash, payload, account_id, grant_hash, uid_hash, user_code_hash, expires_at)
    values
      (${model}, ${idHash}, ${payload}, ${accountId}, ${grantHash}, ${uidHash}, ${userCodeHash},
       ${expiresAt})
    on conflict (model, id_hash) do update
      set payload = excluded.payload, account_id = excluded.account_id,
          grant_hash = excluded.grant_hash, uid_hash = excluded.uid_hash,
          user_code_hash = excluded.user_code_hash, expires_at = excluded.expires_at
  `);
}

export async function findRecord(
  runtime: Runtime,
  model: string,
  column: "id_hash" | "uid_hash" | "user_code_hash",
  value: Buffer,
): Promise<RecordRow | undefined> {
  const rows = await runtime.db.readAsSystem(sql<RecordRow>`
    select ${recordColumns}
      from authorization_record
     where model = ${model}
       and ${sql.raw(column)} = ${value}
       and (expires_at is null or expires_at > ${runtime.clock.now()})
  `);
  return rows[0];
}

/** Returns false if the record is gone or another request has used it already. */
export async function consumeRecord(
  runtime: Runtime,
  model: string,
  idHash: Buffer,
): Promise<boolean> {
  const rows = await runtime.db.readAsSystem(sql`
    update authorization_record
       set consumed_at = ${runtime.clock.now()}
     where model = ${model} and id_hash = ${idHash} and consumed_at is null
    returning model
  `);
  return rows.length === 1;
}

export async function deleteRecord(runtime: Runtime, model: string, idHash: Buffer): Promise<void> {
  await runtime.db.readAsSystem(sql`
    delete from authorization_record where model = ${model} and id_hash = ${idHash}
  `);
}

export async function deleteRecordsByGrant(
  runtime: Runtime,
  model: string,
  grantHash: Buffer,
): Promise<void> {
  await runtime.db.readAsSystem(sql`
    delete from authorization_record where model = ${model} and grant_hash = ${grantHash}
  `);
}

/** Ends all sessions, grants and refresh tokens of this person. */
export async function deleteRecordsByAccount(tx: TenantTx, accountId: string): Promise<void> {
  await tx.run(sql`delete from authorization_record where account_id = ${accountId}`);
}

export function deleteExpiredRecords(tx: TenantTx, count: number): Promise<number> {
  return tx.run(sql`
    delete from authorization_record
     where ctid = any (array(
       select ctid
         from authorization_record
        where expires_at <= ${tx.now}
        order by expires_at
        limit ${count}
          for update skip locked))
  `);
}

export type KeyKind = "signing" | "cookie";

export function listKeys(
  runtime: Runtime,
  kind: KeyKind,
): Promise<{ generation: number; sealed: Buffer }[]> {
  return runtime.db.readAsSystem(sql<{ generation: number; sealed: Buffer }>`
    select generation, sealed from authorization_key where kind = ${kind} order by generation desc
  `);
}

/** Does nothing if another node has stored a key already. */
export async function insertFirstKey(
  runtime: Runtime,
  kind: KeyKind,
  sealed: Buffer,
): Promise<void> {
  await runtime.db.readAsSystem(sql`
    insert into authorization_key (kind, generation, sealed, created_at)
    values (${kind}, 1, ${sealed}, ${runtime.clock.now()})
    on conflict (kind, generation) do nothing
  `);
}
