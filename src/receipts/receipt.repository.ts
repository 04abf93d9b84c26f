import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import { listTenantsIn } from "#kernel/db/tenants-in.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Receipt, ReceiptEntry } from "./receipt.schema.ts";

export const RECEIPT_ID_PREFIX = "rc";

/** Everything except what may be long. */
export const entryColumns: Sql<ReceiptEntry> = sql<ReceiptEntry>`
  id, secret, source, reference, pass_id as "passId", customer_id as "customerId",
  store_id as "storeId", store_name as "storeName", store_address as "storeAddress",
  occurred_at as "occurredAt", currency, line_count as "lineCount",
  trim_scale(subtotal)::text as subtotal, taxes, trim_scale(total)::text as total,
  paid_by as "paidBy", trim_scale(refunded)::text as refunded,
  trim_scale(points_earned)::text as "pointsEarned", note, locale, version,
  created_at as "createdAt", updated_at as "updatedAt"
`;

const receiptColumns: Sql<Receipt> = sql<Receipt>`${entryColumns}, fingerprint, lines, refunds`;

/**
 * False, and nothing is inserted, if a receipt has the reference already; waits for transactions
 * that are inserting one.
 */
export async function insertReceipt(tx: TenantTx, receipt: Receipt): Promise<boolean> {
  const { storeId, storeName, storeAddress, occurredAt, createdAt, updatedAt } = receipt;
  const made = await tx.run(sql`
    insert into receipt (tenant_id, id, secret, source, reference, fingerprint, pass_id,
                         customer_id, store_id, store_name, store_address, occurred_at, currency,
                         lines, line_count, subtotal, taxes, total, paid_by, points_earned, note,
                         locale, created_at, updated_at)
    values (${tx.tenantId}, ${receipt.id}, ${receipt.secret}, ${receipt.source},
            ${receipt.reference}, ${receipt.fingerprint}, ${receipt.passId},
            ${receipt.customerId}, ${storeId}, ${storeName}, ${storeAddress}, ${occurredAt},
            ${receipt.currency}, ${JSON.stringify(receipt.lines)}::jsonb, ${receipt.lineCount},
            ${receipt.subtotal}::numeric, ${JSON.stringify(receipt.taxes)}::jsonb,
            ${receipt.total}::numeric, ${receipt.paidBy}, ${receipt.pointsEarned}::numeric,
            ${receipt.note}, ${receipt.locale}, ${createdAt}, ${updatedAt})
        on conflict (tenant_id, source, reference) do nothing
  `);
  return made > 0;
}

/** Keeps the receipt from being erased until the end of this transaction. */
export function findReceiptToShow(
  tx: TenantTx,
  source: string,
  reference: string,
): Promise<Receipt | undefined> {
  return tx.maybeOne(sql<Receipt>`
    select ${receiptColumns}
      from receipt
     where tenant_id = ${tx.tenantId} and source = ${source} and reference = ${reference}
       for share
  `);
}

export async function findReceipt(
  context: TenantContext,
  id: string,
): Promise<Receipt | undefined> {
  const rows = await context.read(sql<Receipt>`
    select ${receiptColumns} from receipt where tenant_id = ${context.tenantId} and id = ${id}
  `);
  return rows[0];
}

export function findReceiptForUpdate(tx: TenantTx, id: string): Promise<Receipt | undefined> {
  return tx.maybeOne(sql<Receipt>`
    select ${receiptColumns}
      from receipt
     where tenant_id = ${tx.tenantId} and id = ${id}
       for update
  `);
}

export function findReferencedForUpdate(
  tx: TenantTx,
  source: string,
  reference: string,
): Promise<Receipt | undefined> {
  return tx.maybeOne(sql<Receipt>`
    select ${receiptColumns}
      from receipt
     where tenant_id = ${tx.tenantId} and source = ${source} and reference = ${reference}
       for update
  `);
}

/** The receipt must be locked. */
export async function updateRefunds(tx: TenantTx, receipt: Receipt): Promise<void> {
  const { id, refunds, refunded, version, updatedAt } = receipt;
  await tx.run(sql`
    update receipt
       set refunds = ${JSON.stringify(refunds)}::jsonb, refunded = ${refunded}::numeric,
           version = ${version}, updated_at = ${updatedAt}
     where tenant_id = ${tx.tenantId} and id = ${id}
  `);
}

/** The newest first. */
export function listEntriesOfPass(
  context: TenantContext,
  passId: string,
  count: number,
): Promise<ReceiptEntry[]> {
  return context.read(sql<ReceiptEntry>`
    select ${entryColumns}
      from receipt
     where tenant_id = ${context.tenantId} and pass_id = ${passId}
     order by occurred_at desc, id desc
     limit ${count}
  `);
}

/** The newest receipt of a pass, and how many there are. */
export type NewestReceipt = Pick<
  ReceiptEntry,
  "id" | "secret" | "total" | "currency" | "occurredAt"
> & { readonly count: number };

/** The pass must be locked: then no other transaction adds a receipt that this one cannot see. */
export function findNewest(tx: TenantTx, passId: string): Promise<NewestReceipt | undefined> {
  return tx.maybeOne(sql<NewestReceipt>`
    select id, secret, trim_scale(total)::text as total, currency, occurred_at as "occurredAt",
           (select count(*)::integer
              from receipt
             where tenant_id = ${tx.tenantId} and pass_id = ${passId}) as count
      from receipt
     where tenant_id = ${tx.tenantId} and pass_id = ${passId}
     order by occurred_at desc, id desc
     limit 1
  `);
}

export type DeletedReceipt = Pick<ReceiptEntry, "id" | "passId">;

export async function deleteReceipt(tx: TenantTx, id: string): Promise<void> {
  await tx.run(sql`delete from receipt where tenant_id = ${tx.tenantId} and id = ${id}`);
}

export function deleteReceiptsOfPasses(
  tx: TenantTx,
  passIds: readonly string[],
): Promise<DeletedReceipt[]> {
  return deleteWhere(tx, sql`pass_id = any(${passIds}::text[])`);
}

export function deleteReceiptsOfCustomers(
  tx: TenantTx,
  customerIds: readonly string[],
): Promise<DeletedReceipt[]> {
  return deleteWhere(tx, sql`customer_id = any(${customerIds}::text[])`);
}

/** What others are changing or erasing at this moment is left to the next round. */
export function deleteReceiptsBefore(
  tx: TenantTx,
  before: Date,
  count: number,
): Promise<DeletedReceipt[]> {
  return tx.many(sql<DeletedReceipt>`
    with old as materialized (
      select id
        from receipt
       where tenant_id = ${tx.tenantId} and occurred_at < ${before}
       order by occurred_at
       limit ${count}
         for update skip locked)
    delete from receipt
     where tenant_id = ${tx.tenantId} and id in (select id from old)
    returning id, pass_id as "passId"
  `);
}

/**
 * Locks them first, in the order of their ids: the erasures of a pass and of a customer may find the
 * same receipts by different indexes, and would delete them in different orders.
 */
function deleteWhere(tx: TenantTx, condition: Sql): Promise<DeletedReceipt[]> {
  const matches = sql`tenant_id = ${tx.tenantId} and ${condition}`;
  tx.defer(sql`select from receipt where ${matches} order by id for update`);
  return tx.many(sql<DeletedReceipt>`
    delete from receipt where ${matches} returning id, pass_id as "passId"
  `);
}

export function listTenantsWithReceipts(context: SystemContext): Promise<string[]> {
  return listTenantsIn(context, sql`receipt`);
}
