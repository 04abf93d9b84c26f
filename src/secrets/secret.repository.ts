import type { SystemContext, TenantContext } from "#kernel/context.ts";
import type { SealedColumn } from "#kernel/crypto/sealed-column.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { DATA_KEY_PURPOSE, dataKeyPlace } from "./secret.envelope.ts";
import { presentSecret, type Secret } from "./secret.schema.ts";

const secretColumns = sql<Secret>`
  secret.id, secret.key, secret.version, secret.updated_at as "updatedAt"
`;

export const SECRET_LIST: ListSpec = {
  fields: {
    key: { sql: "key", type: "id", nullable: false },
    updatedAt: { sql: "updated_at", type: "timestamp", nullable: false },
  },
  id: "key",
  paging: "when-asked",
};

/** A new master key changes only how data keys are sealed, not the values under them. */
export const sealedDataKeys: SealedColumn = {
  table: "secret_data_key",
  column: "wrapped",
  key: ["tenant_id", "id"],
  purpose: DATA_KEY_PURPOSE,
  contextOf: (key) => dataKeyPlace(String(key.tenant_id), String(key.id)),
  essential: true,
};

export function listSecrets(context: TenantContext, input: ListInput): Promise<Answer> {
  return listPage(
    context,
    {
      columns: secretColumns,
      from: sql`secret`,
      where: sql`tenant_id = ${context.tenantId}`,
      spec: SECRET_LIST,
      present: presentSecret,
    },
    input,
  );
}

export type SealedSecret = Secret & {
  readonly dataKeyId: string;
  readonly sealed: Buffer;
  readonly wrapped: Buffer;
};

/** A read inside a transaction, or a single read. */
type Reader = Pick<TenantContext, "tenantId" | "read"> | TenantTx;

export async function findSecret(reader: Reader, key: string): Promise<SealedSecret | undefined> {
  const statement = sql<SealedSecret>`
    select ${secretColumns}, secret.data_key_id as "dataKeyId", secret.sealed, data_key.wrapped
      from secret
      join secret_data_key as data_key
        on data_key.tenant_id = secret.tenant_id and data_key.id = secret.data_key_id
     where secret.tenant_id = ${reader.tenantId}
       and secret.key = ${key}
  `;
  const rows = "read" in reader ? await reader.read(statement) : await reader.many(statement);
  return rows[0];
}

/**
 * Returns a text that differs after every change of the tenant's secrets. A secret that is deleted
 * and stored again has another id, so that its versions are not taken for the earlier ones.
 */
export async function findSecretsStamp(runtime: Runtime, tenantId: string): Promise<string> {
  const rows = await runtime.db.read(
    tenantId,
    sql<{ stamp: string }>`
      select coalesce(md5(string_agg(id || ' ' || version, ' ' order by key)), 'none') as stamp
        from secret
       where tenant_id = ${tenantId}
    `,
  );
  return rows[0]?.stamp ?? "none";
}

export function findSecretForUpdate(tx: TenantTx, key: string): Promise<Secret | undefined> {
  return tx.maybeOne(sql<Secret>`
    select ${secretColumns}
      from secret
     where tenant_id = ${tx.tenantId}
       and key = ${key}
       for update
  `);
}

/** Up to `limit` ids of tenants that have a secret, in order, beginning after this id. */
export async function listSecretHolders(
  context: SystemContext,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await context.read(sql<{ tenantId: string }>`
    select distinct tenant_id as "tenantId"
      from secret
     where tenant_id > ${after}
     order by tenant_id
     limit ${limit}
  `);
  return rows.map(({ tenantId }) => tenantId);
}

/** Those of these keys for which there is a secret. */
export async function listStoredKeys(
  context: TenantContext,
  keys: readonly string[],
): Promise<string[]> {
  const rows = await context.read(sql<{ key: string }>`
    select key from secret where tenant_id = ${context.tenantId} and key = any(${keys}::text[])
  `);
  return rows.map(({ key }) => key);
}

export type NewSecret = {
  readonly id: string;
  readonly key: string;
  readonly dataKeyId: string;
  readonly sealed: Buffer;
};

/** If two calls store the same new key at the same time, the second value stays. */
export function upsertSecret(tx: TenantTx, secret: NewSecret): Promise<Secret> {
  return tx.one(sql<Secret>`
    insert into secret (tenant_id, key, id, data_key_id, sealed, updated_at)
    values (${tx.tenantId}, ${secret.key}, ${secret.id}, ${secret.dataKeyId}, ${secret.sealed},
            ${tx.now})
    on conflict (tenant_id, key) do update
       set data_key_id = excluded.data_key_id,
           sealed = excluded.sealed,
           updated_at = excluded.updated_at,
           version = secret.version + 1
    returning ${secretColumns}
  `);
}

export async function deleteSecret(tx: TenantTx, key: string): Promise<void> {
  await tx.run(sql`delete from secret where tenant_id = ${tx.tenantId} and key = ${key}`);
}

export type DataKey = { readonly id: string; readonly wrapped: Buffer };

export function listDataKeys(tx: TenantTx, madeAfter: Date): Promise<DataKey[]> {
  return tx.many(sql<DataKey>`
    select id, wrapped
      from secret_data_key
     where tenant_id = ${tx.tenantId}
       and created_at > ${madeAfter}
     order by created_at desc, id desc
     limit 2
  `);
}

export async function insertDataKey(tx: TenantTx, { id, wrapped }: DataKey): Promise<void> {
  await tx.run(sql`
    insert into secret_data_key (tenant_id, id, wrapped, created_at)
    values (${tx.tenantId}, ${id}, ${wrapped}, ${tx.now})
  `);
}

/** Deletes all data keys and, by cascade, their secrets. Returns the number of data keys. */
export function deleteDataKeys(tx: TenantTx): Promise<number> {
  return tx.run(sql`delete from secret_data_key where tenant_id = ${tx.tenantId}`);
}
