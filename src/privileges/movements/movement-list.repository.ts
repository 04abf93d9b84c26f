import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import { movementColumns } from "./movement.repository.ts";
import { MOVEMENT_TYPES, type MovementOfPass, presentMovementOfPass } from "./movement.schema.ts";

/**
 * Of all privileges. Sorted by time or id alone: any other order would read the whole ledger, or take
 * an index that each till waits for.
 */
export const ALL_MOVEMENTS_LIST: ListSpec = {
  fields: {
    movementId: { sql: "movement.id", type: "id", nullable: false },
    passId: { sql: "movement.pass_id", type: "text", nullable: false, sortable: false },
    privilegeId: { sql: "movement.privilege_id", type: "text", nullable: false, sortable: false },
    type: {
      sql: "movement.type",
      type: "text",
      nullable: false,
      sortable: false,
      values: [...MOVEMENT_TYPES],
    },
    reference: { sql: "movement.reference", type: "text", sortable: false },
    occurredAt: { sql: "movement.occurred_at", type: "timestamp", nullable: false },
    createdAt: {
      sql: "movement.created_at",
      type: "timestamp",
      nullable: false,
      sortable: false,
    },
  },
  id: "movementId",
  defaultSort: [{ field: "occurredAt", direction: "DESC" }],
  paging: "always",
};

export function listAllMovements(context: TenantContext, input: ListInput): Promise<Answer> {
  return listPage(
    context,
    {
      columns: sql<MovementOfPass>`pass_id as "passId", ${movementColumns}`,
      from: sql`movement`,
      where: sql`movement.tenant_id = ${context.tenantId}`,
      spec: ALL_MOVEMENTS_LIST,
      present: presentMovementOfPass,
    },
    input,
  );
}
