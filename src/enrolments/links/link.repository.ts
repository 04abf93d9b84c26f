import type { TenantContext } from "#kernel/context.ts";
import { defineRecord } from "#kernel/db/record.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import { LINK_MEMBERS, type Link, type LinkFields, type LinkView } from "./link.schema.ts";

const record = defineRecord<Link, typeof LINK_MEMBERS>(LINK_MEMBERS);

export const LINK_LIST: ListSpec = {
  fields: {
    code: { sql: "code", type: "id", nullable: false },
    passType: { sql: "pass_type", type: "text", nullable: false },
    storeId: { sql: "store_id", type: "text" },
    source: { sql: "source", type: "text" },
    enabled: { sql: "enabled", type: "boolean", nullable: false },
    visits: { sql: "visits", type: "number", nullable: false },
    enrolments: { sql: "enrolments", type: "number", nullable: false },
    createdAt: { sql: "created_at", type: "timestamp", nullable: false },
    updatedAt: { sql: "updated_at", type: "timestamp", nullable: false },
  },
  id: "code",
  paging: "always",
};

export function listLinks(
  context: TenantContext,
  input: ListInput,
  present: (link: Link) => LinkView,
): Promise<Answer> {
  return listPage(
    context,
    {
      columns: record.columns,
      from: sql`enrolment_link`,
      where: sql`tenant_id = ${context.tenantId}`,
      spec: LINK_LIST,
      present,
    },
    input,
  );
}

export async function findLink(context: TenantContext, code: string): Promise<Link | undefined> {
  const rows = await context.read(sql<Link>`
    select ${record.columns}
      from enrolment_link
     where tenant_id = ${context.tenantId} and code = ${code}
  `);
  return rows[0];
}

export function findLinkForUpdate(tx: TenantTx, code: string): Promise<Link | undefined> {
  return tx.maybeOne(sql<Link>`
    select ${record.columns}
      from enrolment_link
     where tenant_id = ${tx.tenantId} and code = ${code}
       for update
  `);
}

/** A count after this call stays correct until the transaction ends. */
export async function lockLinks(tx: TenantTx): Promise<void> {
  await tx.run(sql`
    select pg_advisory_xact_lock(hashtextextended(${`enrolment_link ${tx.tenantId}`}, 0))
  `);
}

export async function countLinks(tx: TenantTx): Promise<number> {
  const { total } = await tx.one(sql<{ total: number }>`
    select count(*)::int as total from enrolment_link where tenant_id = ${tx.tenantId}
  `);
  return total;
}

/** Undefined if the code is taken. */
export function insertLink(
  tx: TenantTx,
  code: string,
  fields: LinkFields,
): Promise<Link | undefined> {
  const row = { ...fields, id: code, createdAt: tx.now, updatedAt: tx.now };
  return tx.maybeOne(sql<Link>`
    insert into enrolment_link (tenant_id, ${record.insertColumns})
    values (${tx.tenantId}, ${record.insertValues(row)})
        on conflict (tenant_id, code) do nothing
    returning ${record.columns}
  `);
}

/** `findLinkForUpdate` must have locked the row. */
export function updateLink(tx: TenantTx, code: string, fields: LinkFields): Promise<Link> {
  return tx.one(sql<Link>`
    update enrolment_link
       set ${record.assignments(fields)}, updated_at = ${tx.now}, version = version + 1
     where tenant_id = ${tx.tenantId} and code = ${code}
    returning ${record.columns}
  `);
}

export async function deleteLink(tx: TenantTx, code: string): Promise<void> {
  await tx.run(sql`
    delete from enrolment_link where tenant_id = ${tx.tenantId} and code = ${code}
  `);
}

/** Counts one visit. Undefined if there is no such link, or it is switched off. */
export function updateVisits(tx: TenantTx, code: string): Promise<Link | undefined> {
  return tx.maybeOne(sql<Link>`
    update enrolment_link
       set visits = visits + 1
     where tenant_id = ${tx.tenantId} and code = ${code} and enabled
    returning ${record.columns}
  `);
}

/** Counts one person who got a pass. It is sent with the commit: nobody else waits for the row. */
export function updateEnrolments(tx: TenantTx, code: string): void {
  tx.defer(sql`
    update enrolment_link
       set enrolments = enrolments + 1
     where tenant_id = ${tx.tenantId} and code = ${code}
  `);
}
