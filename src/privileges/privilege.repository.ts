import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import {
  type PassPrivilege,
  PRIVILEGE_TYPES,
  type Privilege,
  presentPrivilege,
} from "./privilege.schema.ts";

const privilegeColumns: Sql<Privilege> = sql<Privilege>`
  id, name, type, trim_scale(value)::text as value, trim_scale(total)::text as total,
  trim_scale(minimum)::text as minimum, trim_scale(maximum)::text as maximum, unit, status, valid_from as "validFrom",
  valid_until as "validUntil", metadata, created_at as "createdAt", updated_at as "updatedAt",
  version, sequence, sequence_from as "sequenceFrom", given_status as "givenStatus",
  given_status_sequence as "givenStatusSequence"
`;

// The value is named with its table: alone it would be the text that is selected under this name.
export const PRIVILEGE_LIST: ListSpec = {
  fields: {
    privilegeId: { sql: "id", type: "id", nullable: false },
    name: { sql: "name", type: "text", nullable: false },
    type: { sql: "type", type: "text", nullable: false, values: [...PRIVILEGE_TYPES] },
    value: { sql: "privilege.value", type: "number" },
    unit: { sql: "unit", type: "text" },
    validFrom: { sql: "valid_from", type: "timestamp" },
    validUntil: { sql: "valid_until", type: "timestamp" },
    createdAt: { sql: "created_at", type: "timestamp", nullable: false },
    updatedAt: { sql: "updated_at", type: "timestamp", nullable: false },
  },
  id: "privilegeId",
  paging: "when-asked",
};

export function listPrivilegePage(
  context: TenantContext,
  passId: string,
  input: ListInput,
): Promise<Answer> {
  const now = context.clock.now();
  return listPage(
    context,
    {
      columns: privilegeColumns,
      from: sql`privilege`,
      where: sql`tenant_id = ${context.tenantId} and pass_id = ${passId}`,
      spec: PRIVILEGE_LIST,
      present: (privilege) => presentPrivilege(privilege, now),
    },
    input,
  );
}

/** All privileges of a pass, of which there are few. */
export function listPrivileges(context: TenantContext, passId: string): Promise<Privilege[]> {
  return context.read(sql<Privilege>`
    select ${privilegeColumns}
      from privilege
     where tenant_id = ${context.tenantId} and pass_id = ${passId}
     order by id
  `);
}

export async function findPrivilege(
  context: TenantContext,
  passId: string,
  privilegeId: string,
): Promise<Privilege | undefined> {
  const [privilege] = await context.read(sql<Privilege>`
    select ${privilegeColumns}
      from privilege
     where tenant_id = ${context.tenantId} and pass_id = ${passId} and id = ${privilegeId}
  `);
  return privilege;
}

/** The privilege with this id of each of these passes that has it, by the id of the pass. */
export async function findPrivilegeOfEach(
  context: TenantContext,
  privilegeId: string,
  passIds: readonly string[],
): Promise<ReadonlyMap<string, Privilege>> {
  const rows = await context.read(sql<Privilege & { readonly passId: string }>`
    select ${privilegeColumns}, pass_id as "passId"
      from privilege
     where tenant_id = ${context.tenantId} and pass_id = any (${passIds}::text[]) and id = ${privilegeId}
  `);
  return new Map(rows.map(({ passId, ...privilege }) => [passId, privilege]));
}

export type PrivilegeValue = {
  readonly passId: string;
  readonly id: string;
  readonly value: string | null;
};

/** The values of these privileges of each of these passes. */
export function listValuesOfEach(
  context: TenantContext,
  passIds: readonly string[],
  privilegeIds: readonly string[],
): Promise<PrivilegeValue[]> {
  return context.read(sql<PrivilegeValue>`
    select pass_id as "passId", id, trim_scale(value)::text as value
      from privilege
     where tenant_id = ${context.tenantId}
       and pass_id = any (${passIds}::text[])
       and id = any (${privilegeIds}::text[])
  `);
}

/** Movements of a privilege come one after the other: each locks it first. */
export async function findPrivilegeForUpdate(
  tx: TenantTx,
  passId: string,
  privilegeId: string,
): Promise<Privilege | undefined> {
  return await tx.maybeOne(sql<Privilege>`
    select ${privilegeColumns}
      from privilege
     where tenant_id = ${tx.tenantId} and pass_id = ${passId} and id = ${privilegeId}
       for update
  `);
}

/** The privileges of these passes, by the id of the pass; locked in one order by all who do this. */
export async function findPrivilegesForUpdate(
  tx: TenantTx,
  passIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Privilege[]>> {
  if (passIds.length === 0) return new Map();
  const rows = await tx.many(sql<Privilege & { readonly passId: string }>`
    select ${privilegeColumns}, pass_id as "passId"
      from privilege
     where tenant_id = ${tx.tenantId} and pass_id = any (${passIds}::text[])
     order by pass_id, id
       for update
  `);
  return Map.groupBy(rows, ({ passId }) => passId);
}

export async function countPrivileges(tx: TenantTx, passId: string): Promise<number> {
  const { count } = await tx.one(sql<{ count: number }>`
    select count(*)::integer as count
      from privilege
     where tenant_id = ${tx.tenantId} and pass_id = ${passId}
  `);
  return count;
}

/** Sent with the next statement of the transaction, or with its commit. */
export function insertPrivileges(tx: TenantTx, added: readonly PassPrivilege[]): void {
  const rows = added.map(({ passId, privilege }) => ({ passId, ...privilege }));
  tx.defer(sql`
    insert into privilege (tenant_id, pass_id, id, name, type, value, total, minimum, maximum, unit,
                           status, valid_from, valid_until, metadata, sequence, sequence_from,
                           given_status, given_status_sequence, created_at, updated_at)
    select ${tx.tenantId}, "passId", id, name, type, value::numeric, total::numeric,
           minimum::numeric, maximum::numeric, unit, status, "validFrom", "validUntil", metadata, sequence,
           "sequenceFrom", "givenStatus", "givenStatusSequence", ${tx.now}, ${tx.now}
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as privilege (
             "passId" text, id text, name text, type text, value text, total text, minimum text, maximum text,
             unit text, status text, "validFrom" timestamptz, "validUntil" timestamptz, metadata jsonb,
             sequence integer, "sequenceFrom" integer, "givenStatus" text,
             "givenStatusSequence" integer)
  `);
}

/** Writes the terms of a locked privilege; its movements are recorded by themselves. */
export function updatePrivilege(tx: TenantTx, passId: string, privilege: Privilege): void {
  const { id, name, type, value, minimum, maximum, unit, status, version } = privilege;
  const { validFrom, validUntil, metadata, givenStatus, givenStatusSequence } = privilege;
  tx.defer(sql`
    update privilege
       set name = ${name}, type = ${type}, value = ${value}::numeric, minimum = ${minimum}::numeric,
           maximum = ${maximum}::numeric, unit = ${unit}, status = ${status},
           given_status = ${givenStatus}, given_status_sequence = ${givenStatusSequence},
           valid_from = ${validFrom}, valid_until = ${validUntil},
           metadata = ${JSON.stringify(metadata)}::jsonb, version = ${version}, updated_at = ${tx.now}
     where tenant_id = ${tx.tenantId} and pass_id = ${passId} and id = ${id}
  `);
}

export function deletePrivilege(tx: TenantTx, passId: string, privilegeId: string): void {
  tx.defer(sql`
    delete from privilege
     where tenant_id = ${tx.tenantId} and pass_id = ${passId} and id = ${privilegeId}
  `);
}

export async function deletePrivileges(tx: TenantTx, passIds: readonly string[]): Promise<void> {
  await tx.run(sql`
    delete from privilege
     where tenant_id = ${tx.tenantId} and pass_id = any (${passIds}::text[])
  `);
}
