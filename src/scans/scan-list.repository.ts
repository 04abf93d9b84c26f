import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import { scanColumns } from "./scan.repository.ts";
import { DECISIONS, presentScan, REASONS, SCAN_TYPES } from "./scan.schema.ts";

/** The conditions name the table `scan`, so the query must use that name. */
export const SCAN_LIST: ListSpec = {
  fields: {
    scanId: { sql: "scan.id", type: "id", nullable: false },
    passId: {
      sql: "scan.pass_id",
      type: "text",
      condition: (operator, value) =>
        // The index has what a scan is about, which is the pass if there is one.
        operator === "equals"
          ? sql`(scan.about = ${value}::text and scan.pass_id is not null)`
          : undefined,
    },
    deviceId: { sql: "scan.device_id", type: "text" },
    decision: { sql: "scan.decision", type: "text", values: DECISIONS, nullable: false },
    reason: { sql: "scan.reason", type: "text", values: REASONS },
    type: { sql: "scan.type", type: "text", values: SCAN_TYPES, nullable: false },
    matched: { sql: "(scan.pass_id is not null)", type: "boolean", nullable: false },
    conflict: { sql: "scan.conflict", type: "boolean", nullable: false },
    location: { sql: "scan.location", type: "text" },
    reference: { sql: "scan.reference", type: "text" },
    scannedAt: { sql: "scan.scanned_at", type: "timestamp", nullable: false },
    recordedAt: { sql: "scan.recorded_at", type: "timestamp", nullable: false },
  },
  id: "scanId",
  paging: "always",
  defaultSort: [{ field: "scanId", direction: "DESC" }],
};

export function listScans(context: TenantContext, input: ListInput): Promise<Answer> {
  return listPage(
    context,
    {
      columns: scanColumns,
      from: sql`scan`,
      where: sql`scan.tenant_id = ${context.tenantId}`,
      spec: SCAN_LIST,
      present: presentScan,
    },
    input,
  );
}
