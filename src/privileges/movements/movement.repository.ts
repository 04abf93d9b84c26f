import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import type { Privilege } from "../privilege.schema.ts";
import {
  MOVEMENT_TYPES,
  type Movement,
  type MovementType,
  presentMovement,
} from "./movement.schema.ts";

export const movementColumns: Sql<Movement> = sql<Movement>`
  id, privilege_id as "privilegeId", sequence, type, trim_scale(value)::text as value,
  trim_scale(value_before)::text as "valueBefore", trim_scale(value_after)::text as "valueAfter",
  reason, reference, metadata, reverses, occurred_at as "occurredAt", created_at as "createdAt"
`;

// The value is named with its table: alone it would be the text that is selected under this name.
export const MOVEMENT_LIST: ListSpec = {
  fields: {
    sequence: { sql: "sequence", type: "number", nullable: false },
    movementId: { sql: "id", type: "id", nullable: false },
    type: { sql: "type", type: "text", nullable: false, values: [...MOVEMENT_TYPES] },
    value: { sql: "movement.value", type: "number", nullable: false },
    reason: { sql: "reason", type: "text", sortable: false },
    reference: { sql: "reference", type: "text" },
    occurredAt: { sql: "occurred_at", type: "timestamp", nullable: false },
    createdAt: { sql: "created_at", type: "timestamp", nullable: false },
  },
  id: "sequence",
  defaultSort: [{ field: "sequence", direction: "DESC" }],
  paging: "always",
};

export function listMovements(
  context: TenantContext,
  passId: string,
  privilegeId: string,
  input: ListInput,
): Promise<Answer> {
  return listPage(
    context,
    {
      columns: movementColumns,
      from: sql`movement`,
      where: sql`tenant_id = ${context.tenantId} and pass_id = ${passId}
                 and privilege_id = ${privilegeId}`,
      spec: MOVEMENT_LIST,
      present: presentMovement,
    },
    input,
  );
}

/** The next movements in their order, for a reader that goes through the whole ledger. */
export function listMovementsAfter(
  context: TenantContext,
  passId: string,
  privilegeId: string,
  after: number,
  count: number,
): Promise<Movement[]> {
  return context.read(sql<Movement>`
    select ${movementColumns}
      from movement
     where tenant_id = ${context.tenantId} and pass_id = ${passId}
       and privilege_id = ${privilegeId} and sequence > ${after}
     order by sequence
     limit ${count}
  `);
}

export async function findMovement(
  context: Pick<TenantContext, "read" | "tenantId">,
  passId: string,
  privilegeId: string,
  movementId: string,
): Promise<Movement | undefined> {
  const [movement] = await context.read(sql<Movement>`
    select ${movementColumns}
      from movement
     where tenant_id = ${context.tenantId} and id = ${movementId}
       and pass_id = ${passId} and privilege_id = ${privilegeId}
  `);
  return movement;
}

/** `reversedBy` is the movement that has undone this one. */
export type Undoable = Movement & { readonly reversedBy: string | null };

/** The privilege must be locked: then nobody else is undoing the movement. */
export async function findUndoable(
  tx: TenantTx,
  passId: string,
  privilegeId: string,
  movementId: string,
): Promise<Undoable | undefined> {
  return await tx.maybeOne(sql<Undoable>`
    select ${movementColumns},
           (select undo.id from movement as undo
             where undo.tenant_id = ${tx.tenantId} and undo.reverses = ${movementId}) as "reversedBy"
      from movement
     where tenant_id = ${tx.tenantId} and id = ${movementId}
       and pass_id = ${passId} and privilege_id = ${privilegeId}
  `);
}

/**
 * The type of the last movement of these types that nobody has undone, apart from `without`, since the
 * status of the privilege was given. The privilege must be locked.
 */
export async function findLastStanding(
  tx: TenantTx,
  passId: string,
  { id, givenStatusSequence }: Privilege,
  types: readonly MovementType[],
  without: string,
): Promise<MovementType | undefined> {
  const last = await tx.maybeOne(sql<Pick<Movement, "type">>`
    select type
      from movement
     where tenant_id = ${tx.tenantId} and pass_id = ${passId} and privilege_id = ${id}
       and sequence > ${givenStatusSequence} and type = any (${types}::text[]) and id <> ${without}
       and not exists (select from movement as undo
                        where undo.tenant_id = ${tx.tenantId} and undo.reverses = movement.id)
     order by sequence desc
     limit 1
  `);
  return last?.type;
}

/** Where the ledger of a privilege ended that is created anew. */
export async function getLastSequence(
  tx: TenantTx,
  passId: string,
  privilegeId: string,
): Promise<number> {
  const { sequence } = await tx.one(sql<{ sequence: number }>`
    select coalesce(max(sequence), 0) as sequence
      from movement
     where tenant_id = ${tx.tenantId} and pass_id = ${passId} and privilege_id = ${privilegeId}
  `);
  return sequence;
}

export type PassMovement = { readonly passId: string; readonly movement: Movement };
export type MovedPrivilege = PassMovement & { readonly privilege: Privilege };

/** Writes a movement together with what it makes of its privilege, which must be locked. */
export function recordMovement(
  tx: TenantTx,
  passId: string,
  { id, value, total, status, version, sequence }: Privilege,
  movement: Movement,
): void {
  tx.defer(sql`
    with moved as (
      update privilege
         set value = ${value}::numeric, total = ${total}::numeric, status = ${status},
             version = ${version}, sequence = ${sequence}, updated_at = ${tx.now}
       where tenant_id = ${tx.tenantId} and pass_id = ${passId} and id = ${id}
    )
    insert into movement (tenant_id, pass_id, privilege_id, sequence, id, type, value, value_before,
                          value_after, reason, reference, metadata, reverses, occurred_at, created_at)
    values (${tx.tenantId}, ${passId}, ${id}, ${movement.sequence}, ${movement.id},
            ${movement.type}, ${movement.value}::numeric, ${movement.valueBefore}::numeric,
            ${movement.valueAfter}::numeric, ${movement.reason}, ${movement.reference},
            ${JSON.stringify(movement.metadata)}::jsonb, ${movement.reverses},
            ${movement.occurredAt}, ${movement.createdAt})
  `);
}

/** The same for many privileges, each with one movement. */
export function recordMovements(tx: TenantTx, moved: readonly MovedPrivilege[]): void {
  if (moved.length === 0) return;
  const rows = moved.map(({ passId, privilege, movement }) => ({
    ...movement,
    passId,
    value_now: privilege.value,
    total: privilege.total,
    status: privilege.status,
    version: privilege.version,
  }));
  tx.defer(sql`
    with entry as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as entry (
        "passId" text, "privilegeId" text, sequence integer, id text, type text, value text,
        "valueBefore" text, "valueAfter" text, reason text, reference text, metadata jsonb,
        reverses text, "occurredAt" timestamptz, "createdAt" timestamptz,
        value_now text, total text, status text, version integer)
    ), moved as (
      update privilege
         set value = entry.value_now::numeric, total = entry.total::numeric, status = entry.status,
             version = entry.version, sequence = entry.sequence, updated_at = ${tx.now}
        from entry
       where privilege.tenant_id = ${tx.tenantId} and privilege.pass_id = entry."passId"
         and privilege.id = entry."privilegeId"
         -- Says the same once more, so that no plan reads all privileges of the tenant for it.
         and privilege.pass_id = any (${moved.map(({ passId }) => passId)}::text[])
    )
    insert into movement (tenant_id, pass_id, privilege_id, sequence, id, type, value, value_before,
                          value_after, reason, reference, metadata, reverses, occurred_at, created_at)
    select ${tx.tenantId}, "passId", "privilegeId", sequence, id, type, value::numeric,
           "valueBefore"::numeric, "valueAfter"::numeric, reason, reference, metadata, reverses,
           "occurredAt", "createdAt"
      from entry
  `);
}

/** Writes the movements with which new privileges begin; their rows are written by themselves. */
export function insertFirstMovements(tx: TenantTx, begun: readonly PassMovement[]): void {
  const rows = begun.map(({ passId, movement }) => ({ passId, ...movement }));
  tx.defer(sql`
    insert into movement (tenant_id, pass_id, privilege_id, sequence, id, type, value, value_before,
                          value_after, occurred_at, created_at)
    select ${tx.tenantId}, "passId", "privilegeId", sequence, id, type, value::numeric,
           "valueBefore"::numeric, "valueAfter"::numeric, ${tx.now}, ${tx.now}
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as begun (
             "passId" text, "privilegeId" text, sequence integer, id text, type text, value text,
             "valueBefore" text, "valueAfter" text)
  `);
}

/** Only when the pass is erased: the database refuses it otherwise. */
export function deleteMovements(tx: TenantTx, passId: string): void {
  tx.defer(sql`select set_config('app.erased_pass', ${passId}, true)`);
  tx.defer(sql`delete from movement where tenant_id = ${tx.tenantId} and pass_id = ${passId}`);
}
