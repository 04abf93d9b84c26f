import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import type { TenantSettings } from "./settings/tenant.settings.ts";
import { presentTenant, type Tenant } from "./tenant.schema.ts";

const tenantColumns = sql<Tenant>`
  id, name, version, created_at as "createdAt", updated_at as "updatedAt"
`;

export const TENANT_LIST: ListSpec = {
  fields: {
    tenantId: { sql: "id", type: "id", nullable: false },
    name: { sql: "name", type: "text", nullable: false },
    version: { sql: "version", type: "number", nullable: false },
    createdAt: { sql: "created_at", type: "timestamp", nullable: false },
    updatedAt: { sql: "updated_at", type: "timestamp", nullable: false },
  },
  id: "tenantId",
  paging: "when-asked",
};

export function listTenants(context: SystemContext, input: ListInput): Promise<Answer> {
  return listPage(
    context,
    {
      columns: tenantColumns,
      from: sql`tenant`,
      where: sql`deleted_at is null`,
      spec: TENANT_LIST,
      present: presentTenant,
    },
    input,
  );
}

export type TenantName = { readonly tenantId: string; readonly name: string };

/** Of those that there are, by name. */
export function listTenantNames(
  context: SystemContext,
  tenantIds: readonly string[],
): Promise<TenantName[]> {
  return context.read(sql<TenantName>`
    select id as "tenantId", name
      from tenant
     where id = any(${tenantIds}::text[]) and deleted_at is null
     order by name, id
  `);
}

export async function findTenant(context: TenantContext): Promise<Tenant | undefined> {
  const rows = await context.read(sql<Tenant>`
    select ${tenantColumns} from tenant where id = ${context.tenantId} and deleted_at is null
  `);
  return rows[0];
}

type LockedTenant = Tenant & { readonly isDeleted: boolean };

export function findTenantForUpdate(tx: TenantTx): Promise<LockedTenant | undefined> {
  return tx.maybeOne(sql<LockedTenant>`
    select ${tenantColumns}, deleted_at is not null as "isDeleted"
      from tenant
     where id = ${tx.tenantId}
       for update
  `);
}

/** False if another request has created the tenant meanwhile. */
export async function insertTenant(tx: TenantTx, settings: TenantSettings): Promise<boolean> {
  const rows = await tx.run(sql`
    insert into tenant (id, name, version, settings, custom_domain, created_at, updated_at)
    values (${tx.tenantId}, ${settings.name}, 1, ${JSON.stringify(settings)},
            ${settings.customDomain ?? null}, ${tx.now}, ${tx.now})
    on conflict (id) do nothing
  `);
  return rows === 1;
}

export async function updateTenant(
  tx: TenantTx,
  settings: TenantSettings,
  version: number,
): Promise<void> {
  await tx.run(sql`
    update tenant
       set name = ${settings.name}, version = ${version}, settings = ${JSON.stringify(settings)},
           custom_domain = ${settings.customDomain ?? null}, updated_at = ${tx.now}
     where id = ${tx.tenantId}
  `);
}

/** Ends access for everyone. The custom domain can be used by another tenant at once. */
export function markTenantDeleted(tx: TenantTx): Promise<number> {
  return tx.run(sql`
    update tenant
       set deleted_at = ${tx.now}, custom_domain = null
     where id = ${tx.tenantId}
       and deleted_at is null
  `);
}

export type KnownTenant = {
  readonly version: number;
  readonly settings: TenantSettings;
  /** Distinguishes the tenant from an erased tenant that had the same id. */
  readonly createdAt: Date;
  /** When the last tenant that had the same id ended. */
  readonly formerEndedAt: Date | null;
};

/** What every request needs to know about its tenant. Undefined if the tenant does not exist. */
export async function findKnownTenant(context: TenantContext): Promise<KnownTenant | undefined> {
  const rows = await context.read(sql<KnownTenant>`
    select version, settings, created_at as "createdAt", former.ended_at as "formerEndedAt"
      from tenant
      left join ended_tenant as former using (id)
     where id = ${context.tenantId} and deleted_at is null
  `);
  return rows[0];
}

export async function findTenantByDomain(
  context: SystemContext,
  domain: string,
): Promise<string | undefined> {
  const rows = await context.read(sql<{ id: string }>`
    select id from tenant where custom_domain = ${domain}
  `);
  return rows[0]?.id;
}
