import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import { entryColumns } from "./receipt.repository.ts";
import { presentSummary } from "./receipt.schema.ts";

/**
 * The conditions name the table `receipt`, so the query must use that name. Amounts need it: alone,
 * their names would be those of the texts that are selected.
 */
export const RECEIPT_LIST: ListSpec = {
  fields: {
    receiptId: { sql: "receipt.id", type: "id", nullable: false },
    source: { sql: "receipt.source", type: "text", nullable: false },
    reference: { sql: "receipt.reference", type: "text", nullable: false },
    passId: { sql: "receipt.pass_id", type: "text" },
    customerId: { sql: "receipt.customer_id", type: "text" },
    storeId: { sql: "receipt.store_id", type: "text" },
    currency: { sql: "receipt.currency", type: "text", nullable: false },
    total: { sql: "receipt.total", type: "number", nullable: false },
    refunded: { sql: "receipt.refunded", type: "number", nullable: false },
    occurredAt: { sql: "receipt.occurred_at", type: "timestamp", nullable: false },
    createdAt: { sql: "receipt.created_at", type: "timestamp", nullable: false },
    updatedAt: { sql: "receipt.updated_at", type: "timestamp", nullable: false },
  },
  id: "receiptId",
  paging: "always",
  defaultSort: [{ field: "receiptId", direction: "DESC" }],
};

/** `address` is the public address of the tenant. Undefined as pass lists those of all. */
export function listReceipts(
  context: TenantContext,
  address: string,
  passId: string | undefined,
  input: ListInput,
): Promise<Answer> {
  const { tenantId } = context;
  const where: Sql =
    passId === undefined
      ? sql`receipt.tenant_id = ${tenantId}`
      : sql`receipt.tenant_id = ${tenantId} and receipt.pass_id = ${passId}`;
  return listPage(
    context,
    {
      columns: entryColumns,
      from: sql`receipt`,
      where,
      spec: RECEIPT_LIST,
      present: (entry) => presentSummary(entry, address, tenantId),
    },
    input,
  );
}
