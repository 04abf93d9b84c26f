import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { LEASE_SECONDS } from "./file.limits.ts";
import { fileColumns } from "./file.repository.ts";
import type { ImportFile } from "./file.schema.ts";

/** Lists tenants with a file whose turn has come, or whose import was left by its worker. */
export async function listTenantsWithFiles(context: SystemContext): Promise<string[]> {
  const rows = await context.read(sql<{ tenantId: string }>`
    select distinct tenant_id as "tenantId"
      from import_file
     where (state = 'pending' and ready_at <= ${context.clock.now()})
        or (state = 'running' and claimed_until <= now())
  `);
  return rows.map(({ tenantId }) => tenantId);
}

/**
 * When the next file of the tenant may be imported. Undefined as long as an import is running: its end
 * is told by a hint.
 */
export async function findNextReadyAt(context: TenantContext): Promise<Date | undefined> {
  const [row] = await context.read(sql<{ readyAt: Date | null }>`
    select min(ready_at) as "readyAt"
      from import_file
     where tenant_id = ${context.tenantId} and state = 'pending'
       and not exists (
             select from import_file
              where tenant_id = ${context.tenantId}
                and state = 'running'
                and claimed_until > now())
  `);
  return row?.readyAt ?? undefined;
}

/** Of a tenant one file is imported at a time, so its claims follow one after the other. */
export function lockClaims(tx: TenantTx): void {
  tx.defer(sql`
    select pg_advisory_xact_lock(hashtextextended(${`${tx.tenantId} import claim`}, 0))
  `);
}

type Candidate = ImportFile & { readonly attempts: number; readonly isClaimed: boolean };

/** The file that is or was being imported, or else the one whose turn has come. */
export function findNextFile(tx: TenantTx): Promise<Candidate | undefined> {
  return tx.maybeOne(sql<Candidate>`
    select ${fileColumns}, attempts, state = 'running' and claimed_until > now() as "isClaimed"
      from import_file
     where tenant_id = ${tx.tenantId}
       and (state = 'running' or (state = 'pending' and ready_at <= ${tx.now}))
     order by state = 'running' desc, ready_at, id
     limit 1
       for update
  `);
}

export function updateToRunning(tx: TenantTx, id: string, claim: string): Promise<ImportFile> {
  return tx.one(sql<ImportFile>`
    update import_file
       set state = 'running', claim = ${claim}, attempts = attempts + 1,
           claimed_until = now() + make_interval(secs => ${LEASE_SECONDS}),
           started_at = coalesce(started_at, ${tx.now}),
           touched_at = case when rows = 0 then ${tx.now} else touched_at end
     where tenant_id = ${tx.tenantId} and id = ${id}
    returning ${fileColumns}
  `);
}

/** The files that are still claimed, as they are now. */
export function renewClaims(
  tx: TenantTx,
  claims: readonly string[],
): Promise<(ImportFile & { readonly claim: string })[]> {
  return tx.many(sql<ImportFile & { readonly claim: string }>`
    update import_file
       set claimed_until = now() + make_interval(secs => ${LEASE_SECONDS})
     where state = 'running' and claim = any(${claims}::text[])
    returning ${fileColumns}, claim
  `);
}

/** Others may go on at once. */
export async function releaseClaim(tx: TenantTx, id: string, claim: string): Promise<void> {
  await tx.run(sql`
    update import_file
       set claimed_until = now(), attempts = 0
     where tenant_id = ${tx.tenantId} and id = ${id} and claim = ${claim} and state = 'running'
  `);
}

export type Progress = {
  /** The first row that is added: it must follow the rows that are done. */
  readonly firstRow: number;
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly bytesDone: number;
  readonly identifierNames: readonly string[];
};

/** Undefined if somebody else imports the file by now. */
export function addProgress(
  tx: TenantTx,
  id: string,
  claim: string,
  step: Progress,
): Promise<ImportFile | undefined> {
  return tx.maybeOne(sql<ImportFile>`
    update import_file
       set rows = rows + ${step.rows},
           created = created + ${step.created},
           updated = updated + ${step.updated},
           unchanged = unchanged + ${step.unchanged},
           failed = failed + ${step.failed},
           bytes_done = greatest(bytes_done, least(size, ${step.bytesDone}::bigint)),
           identifier_names = case
             when identifier_names @> ${step.identifierNames}::text[] then identifier_names
             else identifier_names || array(
               select name from unnest(${step.identifierNames}::text[]) as name
                where name <> all (identifier_names)) end,
           touched_at = ${tx.now},
           attempts = 0
     where tenant_id = ${tx.tenantId} and id = ${id} and claim = ${claim} and state = 'running'
       and rows = ${step.firstRow - 1}
    returning ${fileColumns}
  `);
}

export type Ending = {
  readonly state: "processed" | "error";
  readonly problem: string | null;
  readonly duplicateOf: string | null;
};

/** The file must be locked, or be claimed by `claim`; undefined if it is not any more. */
export function updateToEnded(
  tx: TenantTx,
  id: string,
  claim: string | null,
  { state, problem, duplicateOf }: Ending,
): Promise<(ImportFile & { readonly erasesContents: boolean }) | undefined> {
  return tx.maybeOne(sql<ImportFile & { readonly erasesContents: boolean }>`
    update import_file
       set state = ${state}, problem = ${problem}, duplicate_of = ${duplicateOf},
           finished_at = ${tx.now}, claim = null, claimed_until = null,
           contents = case when erases_contents then 'leaving' else contents end
     where tenant_id = ${tx.tenantId}
       and id = ${id}
       and state in ('pending', 'running')
       and (${claim}::text is null or claim = ${claim}::text)
    returning ${fileColumns}, erases_contents as "erasesContents"
  `);
}
