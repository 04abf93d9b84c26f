import type { TenantContext } from "#kernel/context.ts";
import type { SealedColumn } from "#kernel/crypto/sealed-column.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

export const TOKEN_PURPOSE = "connector-inbox";

/** Neither part can contain a `|`. */
export function tokenPlace(tenantId: string, connector: string): string {
  return `${tenantId}|${connector}`;
}

const sealed = (column: string, where = sql`true`): SealedColumn => ({
  table: "connector_inbox",
  column,
  key: ["tenant_id", "connector"],
  where,
  purpose: TOKEN_PURPOSE,
  contextOf: (key) => tokenPlace(String(key.tenant_id), String(key.connector)),
  essential: false,
});

export const sealedTokens = sealed("token");
export const sealedFormerTokens = sealed("previous_token", sql`previous_token is not null`);

export type SealedAddress = {
  readonly connector: string;
  readonly token: Buffer;
  /** Those of before, each with its end; of an older row one, which ends as the next member says. */
  readonly previousToken: Buffer | null;
  /** After it none of them holds. */
  readonly previousUntil: Date | null;
  readonly notice: string | null;
  readonly noticedAt: Date | null;
};

const addressColumns = sql<SealedAddress>`
  connector, token, previous_token as "previousToken", previous_until as "previousUntil", notice,
  noticed_at as "noticedAt"
`;

export function listAddresses(context: TenantContext): Promise<SealedAddress[]> {
  return context.read(sql<SealedAddress>`
    select ${addressColumns} from connector_inbox where tenant_id = ${context.tenantId}
  `);
}

export async function findAddress(
  context: TenantContext,
  connector: string,
): Promise<SealedAddress | undefined> {
  const rows = await context.read(sql<SealedAddress>`
    select ${addressColumns}
      from connector_inbox
     where tenant_id = ${context.tenantId} and connector = ${connector}
  `);
  return rows[0];
}

/** Of two that come at the same time, the first one stays. */
export async function insertAddress(
  tx: TenantTx,
  connector: string,
  token: Buffer,
): Promise<SealedAddress> {
  await tx.run(sql`
    insert into connector_inbox (tenant_id, connector, token)
    values (${tx.tenantId}, ${connector}, ${token})
        on conflict do nothing
  `);
  return await tx.one(sql<SealedAddress>`
    select ${addressColumns}
      from connector_inbox
     where tenant_id = ${tx.tenantId} and connector = ${connector}
  `);
}

export function findAddressForUpdate(
  tx: TenantTx,
  connector: string,
): Promise<SealedAddress | undefined> {
  return tx.maybeOne(sql<SealedAddress>`
    select ${addressColumns}
      from connector_inbox
     where tenant_id = ${tx.tenantId} and connector = ${connector}
       for update
  `);
}

/** The tokens of before hold until then at the latest. */
export async function updateToken(
  tx: TenantTx,
  connector: string,
  token: Buffer,
  previous: Pick<SealedAddress, "previousToken" | "previousUntil">,
): Promise<void> {
  await tx.run(sql`
    update connector_inbox
       set token = ${token}, previous_token = ${previous.previousToken},
           previous_until = ${previous.previousUntil}
     where tenant_id = ${tx.tenantId} and connector = ${connector}
  `);
}

export function deleteAddress(tx: TenantTx, connector: string): void {
  tx.defer(sql`
    delete from connector_inbox where tenant_id = ${tx.tenantId} and connector = ${connector}
  `);
}

/** Shown beside the connector; null takes it away. */
export function updateNotice(tx: TenantTx, connector: string, notice: string | null): void {
  tx.defer(sql`
    update connector_inbox
       set notice = ${notice}, noticed_at = ${notice === null ? null : tx.now}
     where tenant_id = ${tx.tenantId} and connector = ${connector}
  `);
}
