import type { TenantContext } from "#kernel/context.ts";
import type { SealedColumn } from "#kernel/crypto/sealed-column.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

export const PERSON_PURPOSE = "connector-erasure";

/** No part can contain a `|`. */
export function personPlace(tenantId: string, connector: string, id: string): string {
  return `${tenantId}|${connector}|${id}`;
}

export const sealedPeople: SealedColumn = {
  table: "connector_erasure",
  column: "sealed",
  key: ["tenant_id", "connector", "id"],
  where: sql`sealed is not null`,
  purpose: PERSON_PURPOSE,
  contextOf: (key) => personPlace(String(key.tenant_id), String(key.connector), String(key.id)),
  essential: false,
};

/** Somebody who was erased here, and is still known to a vendor. */
export type Erasure = {
  readonly id: string;
  readonly attempts: number;
  readonly sealed: Buffer | null;
  /** Not sealed: of a row that is older than the sealing. */
  readonly person: string | null;
};

export type NewErasure = { readonly id: string; readonly sealed: Buffer };

/** Only for a connector that is there: others have told their vendor nothing. */
export function insertErasures(
  tx: TenantTx,
  connector: string,
  people: readonly NewErasure[],
): void {
  tx.defer(sql`
    insert into connector_erasure (tenant_id, connector, id, sealed, requested_at, next_attempt_at)
    select ${tx.tenantId}, feed.connector, sent.id, sent.sealed, ${tx.now}, ${tx.now}
      from unnest(${people.map(({ id }) => id)}::text[],
                  ${people.map(({ sealed }) => sealed)}::bytea[]) as sent (id, sealed)
      join connector_feed as feed
        on feed.tenant_id = ${tx.tenantId} and feed.connector = ${connector}
  `);
}

export function listDueErasures(
  context: TenantContext,
  connector: string,
  count: number,
): Promise<Erasure[]> {
  return context.read(sql<Erasure>`
    select id, attempts, sealed, person
      from connector_erasure
     where tenant_id = ${context.tenantId}
       and connector = ${connector}
       and next_attempt_at <= ${context.clock.now()}
     order by next_attempt_at, id
     limit ${count}
  `);
}

/** Whether the vendor was asked in vain to erase somebody. */
export async function hasFailedErasures(
  context: TenantContext,
  connector: string,
): Promise<boolean> {
  const rows = await context.read(sql`
    select from connector_erasure
     where tenant_id = ${context.tenantId} and connector = ${connector} and attempts > 0
     limit 1
  `);
  return rows.length > 0;
}

export function deleteErasure(tx: TenantTx, connector: string, id: string): void {
  tx.defer(sql`
    delete from connector_erasure
     where tenant_id = ${tx.tenantId} and connector = ${connector} and id = ${id}
  `);
}

export function postponeErasure(
  tx: TenantTx,
  connector: string,
  id: string,
  nextAttemptAt: Date,
): void {
  tx.defer(sql`
    update connector_erasure
       set attempts = attempts + 1, next_attempt_at = ${nextAttemptAt}
     where tenant_id = ${tx.tenantId} and connector = ${connector} and id = ${id}
  `);
}

/** For a connector that is removed with its secrets: nobody can tell the vendor any more. */
export function deleteErasures(tx: TenantTx, connector: string): void {
  tx.defer(sql`
    delete from connector_erasure where tenant_id = ${tx.tenantId} and connector = ${connector}
  `);
}
