import Type from "typebox";
import { systemCall } from "#kernel/call.ts";
import type { SystemContext } from "#kernel/context.ts";
import { SYSTEM_SCOPE } from "#kernel/db/scope.ts";
import { sql } from "#kernel/db/sql.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { deleteOrphans } from "./configuration/configuration.repository.ts";

const BATCH_ROWS = 2_000;
const FOREIGN_KEY_VIOLATION = "23503";

/**
 * Erases every row of a deleted tenant, in all tables. The list of tables comes from the catalog of
 * the database, so tables that are added later are included. The id can be used again when the row
 * of the tenant itself is gone.
 */
export const eraseTenant = defineJob({
  name: "tenant.erase",
  payload: Type.Object({ tenantId: Type.String() }),
  timeoutSeconds: 3_600,
  retries: 100,
  async run({ runtime }, { tenantId }, signal) {
    // Runs as the system, because the audit trail of the tenant is erased too.
    const context = systemCall(runtime, "tenant.erase");
    if (!(await isDeleted(context, tenantId))) return;
    await keepDeletion(context, tenantId);
    let left = await listTenantTables(context);
    while (left.length > 0 && !signal.aborted) {
      const blocked: string[] = [];
      for (const table of left) {
        if (!(await eraseTable(context, table, tenantId, signal))) blocked.push(table);
      }
      if (blocked.length === left.length)
        throw new Error(`Rows of ${blocked.join(", ")} are held.`);
      left = blocked;
    }
    if (signal.aborted) throw new Error("Interrupted: the rest follows in the next run.");
    await context.transaction(async (tx) => {
      await tx.run(sql`delete from tenant where id = ${tenantId} and deleted_at is not null`);
      tx.audit({ target: `tenant:${tenantId}`, after: { erased: true } });
    });
  },
});

async function isDeleted(context: SystemContext, tenantId: string): Promise<boolean> {
  const rows = await context.read(sql`
    select from tenant where id = ${tenantId} and deleted_at is not null
  `);
  return rows.length === 1;
}

/**
 * Moves the audit record of the deletion to the platform. In the trail of the tenant it would be
 * erased, or be shown to the next tenant with this id.
 */
async function keepDeletion(context: SystemContext, tenantId: string): Promise<void> {
  await context.transaction((tx) =>
    tx.run(sql`
      update audit set tenant_id = ${SYSTEM_SCOPE}
       where tenant_id = ${tenantId} and op = 'tenant.delete'
    `),
  );
}

async function listTenantTables(context: SystemContext): Promise<string[]> {
  const rows = await context.read(sql<{ name: string }>`
    select quote_ident(class.relname) as name
      from pg_class class
      join pg_attribute attribute on attribute.attrelid = class.oid
     where class.relnamespace = 'public'::regnamespace
       and class.relkind in ('r', 'p')
       and attribute.attname = 'tenant_id'
       and not attribute.attisdropped
     order by class.relname
  `);
  return rows.map(({ name }) => name);
}

/** False if rows of other tables still refer to this table; those tables are erased first. */
async function eraseTable(
  context: SystemContext,
  table: string,
  tenantId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const name = sql.raw(table);
  for (let erased = BATCH_ROWS; erased === BATCH_ROWS && !signal.aborted; ) {
    try {
      erased = await context.transaction((tx) =>
        tx.run(sql`
          delete from ${name}
           where ctid = any (array(
             select ctid from ${name} where tenant_id = ${tenantId} limit ${BATCH_ROWS}))
        `),
      );
    } catch (error) {
      if ((error as { code?: string }).code === FOREIGN_KEY_VIOLATION) return false;
      throw error;
    }
  }
  return true;
}

/**
 * Runs at night, when few tenants publish: a publication that uses such a content again waits until
 * its batch is deleted.
 */
export const purgeFileContents = defineJob({
  name: "configuration.purge",
  payload: Type.Object({}),
  cron: "23 3 * * *",
  concurrency: 1,
  async run(context, _payload, signal) {
    for (let removed = BATCH_ROWS; removed === BATCH_ROWS && !signal.aborted; ) {
      removed = await context.transaction((tx) => deleteOrphans(tx, BATCH_ROWS));
    }
  },
});
