import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

export async function upsertHalt(tx: TenantTx, seconds: number, problem: string): Promise<void> {
  await tx.run(sql`
    insert into google_halt (tenant_id, until, problem)
    values (${tx.tenantId}, now() + make_interval(secs => ${seconds}::float8), ${problem})
    on conflict (tenant_id) do update set until = excluded.until, problem = excluded.problem
  `);
}

/** Returns 1, or 0 if nothing was halted. */
export function deleteHalt(tx: TenantTx): Promise<number> {
  return tx.run(sql`delete from google_halt where tenant_id = ${tx.tenantId}`);
}

/** Deletes a halt whose time is over, because Google has taken something since. */
export function deleteEndedHalt(tx: TenantTx): void {
  tx.defer(sql`delete from google_halt where tenant_id = ${tx.tenantId} and until <= now()`);
}

export type Refusal = { readonly problem: string; readonly since: Date };

/**
 * Since when Google refuses the account, as far as is known: when the time of a halt is over and nothing
 * waits, nothing is held up.
 */
export async function findRefusal(context: TenantContext): Promise<Refusal | undefined> {
  const [row] = await context.read(sql<Refusal>`
    select problem, since
      from google_halt
     where tenant_id = ${context.tenantId}
       and (until > now()
            or exists (select from google_object
                        where tenant_id = ${context.tenantId} and due_at is not null and state <> 'sent'
                          and state in ('denied', 'queued')))
  `);
  return row;
}

/** What keeps anything from being sent for the tenant at the moment. */
export async function findHalt(context: TenantContext): Promise<string | undefined> {
  const [row] = await context.read(sql<{ problem: string }>`
    select problem from google_halt where tenant_id = ${context.tenantId} and until > now()
  `);
  return row?.problem;
}
