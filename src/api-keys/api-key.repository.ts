import type { TenantContext } from "#kernel/context.ts";
import type { Database } from "#kernel/db/database.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import type { DeviceUse } from "./api-key.port.ts";
import { type ApiKey, presentApiKey } from "./api-key.schema.ts";
import type { TokenKind } from "./api-key.token.ts";

const apiKeyColumns = sql<ApiKey>`
  id, name, scopes, expires_at as "expiresAt", created_at as "createdAt", created_by as "createdBy",
  last_used_at as "lastUsedAt", prefix, version
`;

export const API_KEY_LIST: ListSpec = {
  fields: {
    name: { sql: "name", type: "id", nullable: false },
    expiresAt: { sql: "expires_at", type: "timestamp" },
    createdAt: { sql: "created_at", type: "timestamp", nullable: false },
    createdBy: { sql: "created_by", type: "text", nullable: false },
    lastUsedAt: { sql: "last_used_at", type: "timestamp" },
    prefix: { sql: "prefix", type: "text", nullable: false },
  },
  id: "name",
  paging: "when-asked",
};

export function listApiKeys(context: TenantContext, input: ListInput): Promise<Answer> {
  return listPage(
    context,
    {
      columns: apiKeyColumns,
      from: sql`api_key`,
      where: sql`tenant_id = ${context.tenantId} and kind = 'api-key'`,
      spec: API_KEY_LIST,
      present: presentApiKey,
    },
    input,
  );
}

export async function findApiKey(
  context: TenantContext,
  name: string,
): Promise<ApiKey | undefined> {
  const rows = await context.read(sql<ApiKey>`
    select ${apiKeyColumns}
      from api_key
     where tenant_id = ${context.tenantId}
       and kind = 'api-key'
       and name = ${name}
  `);
  return rows[0];
}

export function findApiKeyForUpdate(tx: TenantTx, name: string): Promise<ApiKey | undefined> {
  return tx.maybeOne(sql<ApiKey>`
    select ${apiKeyColumns}
      from api_key
     where tenant_id = ${tx.tenantId}
       and kind = 'api-key'
       and name = ${name}
       for update
  `);
}

export type NewKey = {
  readonly id: string;
  readonly kind: TokenKind;
  readonly name: string;
  readonly hash: Buffer;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
};

/** Returns undefined if the name is taken. */
export function insertKey(tx: TenantTx, key: NewKey): Promise<ApiKey | undefined> {
  return tx.maybeOne(sql<ApiKey>`
    insert into api_key (tenant_id, id, kind, name, hash, prefix, scopes, expires_at, created_at, created_by)
    values (${tx.tenantId}, ${key.id}, ${key.kind}, ${key.name}, ${key.hash}, ${key.prefix},
            ${key.scopes}, ${key.expiresAt}, ${tx.now}, ${tx.origin.actor.id})
    on conflict on constraint api_key_name do nothing
    returning ${apiKeyColumns}
  `);
}

/** The caller must have locked the row with `findApiKeyForUpdate`. */
export function updateApiKey(
  tx: TenantTx,
  id: string,
  change: Pick<ApiKey, "name" | "scopes" | "expiresAt">,
): Promise<ApiKey> {
  return tx.one(sql<ApiKey>`
    update api_key
       set name = ${change.name},
           scopes = ${change.scopes},
           expires_at = ${change.expiresAt},
           version = version + 1
     where tenant_id = ${tx.tenantId}
       and id = ${id}
    returning ${apiKeyColumns}
  `);
}

export async function deleteApiKey(tx: TenantTx, id: string): Promise<void> {
  await tx.run(sql`delete from api_key where tenant_id = ${tx.tenantId} and id = ${id}`);
}

/** Returns the number of deleted keys. */
export function deleteDeviceKeys(tx: TenantTx, deviceId: string): Promise<number> {
  return tx.run(sql`
    delete from api_key
     where tenant_id = ${tx.tenantId}
       and kind = 'device'
       and name = ${deviceId}
  `);
}

export async function deleteAllDeviceKeys(tx: TenantTx): Promise<void> {
  await tx.run(sql`delete from api_key where tenant_id = ${tx.tenantId} and kind = 'device'`);
}

/** A key that is valid now, by the clock of the database. */
export type ActiveKey = {
  readonly tenantId: string;
  readonly id: string;
  readonly kind: TokenKind;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Null if the key never expires. */
  readonly expiresInMs: number | null;
  /** When the tenant of the key was created. */
  readonly tenantSince: Date | null;
};

const activeKeyColumns = sql<ActiveKey>`
  tenant_id as "tenantId", id, kind, name, scopes,
  (extract(epoch from expires_at - now()) * 1000)::float8 as "expiresInMs",
  (select created_at from tenant where tenant.id = api_key.tenant_id) as "tenantSince"
`;

/** Searches the keys of all tenants, because the tenant is not known before the key is found. */
export async function findActiveKey(db: Database, hash: Buffer): Promise<ActiveKey | undefined> {
  const rows = await db.readAsSystem(sql<ActiveKey>`
    select ${activeKeyColumns}
      from api_key
     where hash = ${hash}
       and (expires_at is null or expires_at > now())
  `);
  return rows[0];
}

/** Finds the valid keys among many, by the hash of their token in latin1. */
export async function findActiveKeys(
  db: Database,
  hashes: readonly Buffer[],
): Promise<ReadonlyMap<string, ActiveKey>> {
  const rows = await db.readAsSystem(sql<ActiveKey & { readonly hash: Buffer }>`
    select hash, ${activeKeyColumns}
      from api_key
     where hash = any (${hashes}::bytea[])
       and (expires_at is null or expires_at > now())
  `);
  return new Map(rows.map(({ hash, ...key }) => [hash.toString("latin1"), key]));
}

export type KeyUse = { readonly tenantId: string; readonly keyId: string; readonly at: Date };

/** Which of the uses are those of devices. */
export function findDeviceUses(tx: TenantTx, uses: readonly KeyUse[]): Promise<DeviceUse[]> {
  return tx.many(sql<DeviceUse>`
    select api_key.tenant_id as "tenantId", api_key.name as "deviceId", seen.at as "at"
      from ${tableOf(uses)}
      join api_key using (tenant_id, id)
     where api_key.kind = 'device'
  `);
}

function tableOf(uses: readonly KeyUse[]) {
  return sql`
    unnest(${uses.map((use) => use.tenantId)}::text[],
           ${uses.map((use) => use.keyId)}::text[],
           ${uses.map((use) => use.at)}::timestamptz[]) as seen (tenant_id, id, at)
  `;
}

/**
 * Only moves times forward. Locks the rows in one order, so that two nodes that saw the same keys
 * do not deadlock.
 */
export async function updateLastUsed(tx: TenantTx, uses: readonly KeyUse[]): Promise<void> {
  await tx.run(sql`
    with used as (
      select api_key.tenant_id, api_key.id, seen.at
        from ${tableOf(uses)}
        join api_key using (tenant_id, id)
       where api_key.last_used_at is null or api_key.last_used_at < seen.at
       order by api_key.tenant_id, api_key.id
         for update of api_key
    )
    update api_key
       set last_used_at = used.at
      from used
     where api_key.tenant_id = used.tenant_id
       and api_key.id = used.id
  `);
}

export async function deleteAllKeys(tx: TenantTx): Promise<void> {
  await tx.run(sql`delete from api_key where tenant_id = ${tx.tenantId}`);
}
