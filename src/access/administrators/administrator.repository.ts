import type { SystemContext } from "#kernel/context.ts";
import { SYSTEM_SCOPE } from "#kernel/db/scope.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import type { Runtime } from "#kernel/runtime.ts";
import {
  type Administrator,
  AdministratorRole,
  presentAdministrator,
} from "./administrator.schema.ts";

const administratorColumns = sql<Administrator>`
  id, email, name, role, tenants, disabled, password_hash is null as invited,
  tokens_valid_from as "tokensValidFrom", version, created_at as "createdAt",
  updated_at as "updatedAt", last_sign_in_at as "lastSignInAt"
`;

export const ADMINISTRATOR_LIST: ListSpec = {
  fields: {
    id: { sql: "id", type: "id", nullable: false },
    email: { sql: "email", type: "text", nullable: false },
    name: { sql: "name", type: "text", nullable: false },
    role: { sql: "role", type: "text", values: AdministratorRole.enum, nullable: false },
    disabled: { sql: "disabled", type: "boolean", nullable: false },
    createdAt: { sql: "created_at", type: "timestamp", nullable: false },
    updatedAt: { sql: "updated_at", type: "timestamp", nullable: false },
    lastSignInAt: { sql: "last_sign_in_at", type: "timestamp" },
  },
  id: "id",
  paging: "always",
};

export function listAdministrators(context: SystemContext, input: ListInput): Promise<Answer> {
  return listPage(
    context,
    {
      columns: administratorColumns,
      from: sql`administrator`,
      where: sql`true`,
      spec: ADMINISTRATOR_LIST,
      present: presentAdministrator,
    },
    input,
  );
}

export type AdministratorFields = {
  readonly email: string;
  readonly name: string;
  readonly role: AdministratorRole;
  readonly tenants: readonly string[];
  readonly disabled: boolean;
};

export async function findAdministrator(
  runtime: Runtime,
  id: string,
): Promise<Administrator | undefined> {
  const rows = await runtime.db.readAsSystem(sql<Administrator>`
    select ${administratorColumns} from administrator where id = ${id}
  `);
  return rows[0];
}

export function findAdministratorForUpdate(
  tx: TenantTx,
  id: string,
): Promise<Administrator | undefined> {
  return tx.maybeOne(sql<Administrator>`
    select ${administratorColumns} from administrator where id = ${id} for update
  `);
}

/** Locks the rows in the order of their ids, so that concurrent changes do not deadlock. */
export async function lockEnabledGlobalAdministrators(tx: TenantTx): Promise<string[]> {
  const rows = await tx.many(sql<{ id: string }>`
    select id from administrator where role = 'global' and not disabled order by id for update
  `);
  return rows.map(({ id }) => id);
}

export async function existsAdministrator(tx: TenantTx): Promise<boolean> {
  const row = await tx.maybeOne(sql`select from administrator limit 1`);
  return row !== undefined;
}

/** Prevents two first administrators if several links are used at the same time. */
export async function lockFirstAdministrator(tx: TenantTx): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtext('first administrator'))`);
}

export function insertAdministrator(
  tx: TenantTx,
  id: string,
  { email, name, role, tenants, disabled }: AdministratorFields,
): Promise<Administrator> {
  return tx.one(sql<Administrator>`
    insert into administrator
      (id, email, name, role, tenants, disabled, tokens_valid_from, created_at, updated_at)
    values
      (${id}, ${email}, ${name}, ${role}, ${tenants}, ${disabled}, ${tx.now}, ${tx.now}, ${tx.now})
    returning ${administratorColumns}
  `);
}

export function updateAdministrator(
  tx: TenantTx,
  id: string,
  { email, name, role, tenants, disabled }: AdministratorFields,
): Promise<Administrator> {
  return tx.one(sql<Administrator>`
    update administrator
       set email = ${email}, name = ${name}, role = ${role}, tenants = ${tenants},
           disabled = ${disabled}, version = version + 1, updated_at = ${tx.now}
     where id = ${id}
    returning ${administratorColumns}
  `);
}

/**
 * Which of the tenants exist. Until the commit none of them can end, so that nobody is given rights in
 * one that is ending: a later tenant of the same id would inherit them.
 */
export async function lockTenants(
  tx: TenantTx,
  tenantIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.many(sql<{ id: string }>`
    select id
      from tenant
     where id = any(${tenantIds}::text[]) and deleted_at is null
     order by id
       for share
  `);
  return new Set(rows.map(({ id }) => id));
}

export type AdministratorChange = {
  readonly before: Administrator;
  readonly after: Administrator;
};

/**
 * Takes the tenant of the transaction from all who have rights in it.
 *
 * Administrators belong to no tenant, and row-level security hides them from the transaction of one. A
 * transaction of its own would come too late: a new tenant of the same id could exist by then. So these
 * two statements run as the installation, and those after them as the tenant again.
 */
export async function removeTenant(tx: TenantTx): Promise<AdministratorChange[]> {
  tx.defer(sql`select set_config('app.tenant', ${SYSTEM_SCOPE}, true)`);
  // In the order of their ids: two tenants that end at once could deadlock.
  const befores = await tx.many(sql<Administrator>`
    select ${administratorColumns}
      from administrator
     where ${tx.tenantId}::text = any(tenants)
     order by id
       for update
  `);
  const afters = await tx.many(sql<Administrator>`
    update administrator
       set tenants = array_remove(tenants, ${tx.tenantId}::text), version = version + 1,
           updated_at = ${tx.now}
     where id = any(${befores.map(({ id }) => id)}::text[])
    returning ${administratorColumns}
  `);
  tx.defer(sql`select set_config('app.tenant', ${tx.tenantId}, true)`);
  const afterOf = new Map(afters.map((after) => [after.id, after]));
  return befores.flatMap((before) => {
    const after = afterOf.get(before.id);
    return after === undefined ? [] : [{ before, after }];
  });
}

export async function deleteAdministrator(tx: TenantTx, id: string): Promise<void> {
  await tx.run(sql`delete from administrator where id = ${id}`);
}

export async function updatePassword(tx: TenantTx, id: string, hash: string): Promise<void> {
  await tx.run(sql`
    update administrator
       set password_hash = ${hash}, tokens_valid_from = ${tx.now}, version = version + 1,
           updated_at = ${tx.now}
     where id = ${id}
  `);
}

export async function updateLastSignIn(tx: TenantTx, id: string): Promise<void> {
  await tx.run(sql`update administrator set last_sign_in_at = ${tx.now} where id = ${id}`);
}

export type PasswordRow = {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string | null;
};

/** Returns undefined if the administrator is disabled. */
export async function findPassword(
  runtime: Runtime,
  email: string,
): Promise<PasswordRow | undefined> {
  const rows = await runtime.db.readAsSystem(sql<PasswordRow>`
    select id, email, password_hash as "passwordHash"
      from administrator
     where lower(email) = lower(${email}::text) and not disabled
  `);
  return rows[0];
}
