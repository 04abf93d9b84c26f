import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { isTenantId } from "#kernel/db/scope.ts";
import { sql } from "#kernel/db/sql.ts";
import { listTenantsIn } from "#kernel/db/tenants-in.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListFields, ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import {
  ActorKindShown,
  type AuditRow,
  presentAudit,
  presentInstallationAudit,
} from "./audit.schema.ts";

/** The installation itself writes `*` as its tenant; the API shows null. */
const AUDIT_TENANT = "nullif(tenant_id, '*')";

const auditColumns = sql<AuditRow>`
  ${sql.raw(AUDIT_TENANT)} as "tenantId", id, at, actor_kind as "actorKind", actor_id as "actorId",
  op, target, request_id as "requestId", ip, before, after
`;

const auditFields: ListFields = {
  id: { sql: "id", type: "id", nullable: false },
  at: { sql: "at", type: "timestamp", nullable: false },
  actorKind: { sql: "actor_kind", type: "text", values: ActorKindShown.enum, nullable: false },
  actorId: { sql: "actor_id", type: "text", nullable: false },
  op: { sql: "op", type: "text", nullable: false },
  target: { sql: "target", type: "text", nullable: false },
  requestId: { sql: "request_id", type: "text", nullable: false },
  ip: { sql: "ip", type: "text", nullable: false },
};

const NEWEST_FIRST = [{ field: "at", direction: "DESC" }] as const;

export const AUDIT_LIST: ListSpec = {
  fields: auditFields,
  id: "id",
  defaultSort: NEWEST_FIRST,
  paging: "always",
};

export const INSTALLATION_AUDIT_LIST: ListSpec = {
  fields: { ...auditFields, tenantId: { sql: AUDIT_TENANT, type: "text" } },
  id: "id",
  defaultSort: NEWEST_FIRST,
  paging: "always",
};

export function listAudit(context: TenantContext, input: ListInput): Promise<Answer> {
  return listPage(
    context,
    {
      columns: auditColumns,
      from: sql`audit`,
      where: sql`tenant_id = ${context.tenantId}`,
      spec: AUDIT_LIST,
      present: presentAudit,
    },
    input,
  );
}

export function listInstallationAudit(context: SystemContext, input: ListInput): Promise<Answer> {
  return listPage(
    context,
    {
      columns: auditColumns,
      from: sql`audit`,
      where: sql`true`,
      spec: INSTALLATION_AUDIT_LIST,
      present: presentInstallationAudit,
    },
    input,
  );
}

/** Deletes the oldest rows of the tenant from before then, a limited number. */
export function deleteAuditBefore(tx: TenantTx, before: Date, count: number): Promise<number> {
  return tx.run(sql`
    delete from audit
     where tenant_id = ${tx.tenantId}
       and id in (
             select id
               from audit
              where tenant_id = ${tx.tenantId} and at < ${before}
              order by at, id
              limit ${count})
  `);
}

/** Without what belongs to no tenant. */
export async function listTenantsWithAudit(context: SystemContext): Promise<string[]> {
  return (await listTenantsIn(context, sql`audit`)).filter(isTenantId);
}
