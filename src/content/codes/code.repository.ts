import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type Pass, passColumns } from "#src/passes/public.ts";

/** A code, and the version of a pass that was issued with it. */
export type NewCode = {
  readonly passId: string;
  readonly code: string;
  readonly issuedAt: Date;
};

/** Codes are too long for an index, so their hashes are indexed, and the codes compared after. */
function hashOf(code: Sql): Sql {
  return sql`substring(sha256(convert_to(${code}, 'UTF8')) for 16)`;
}

/** The result is not awaited. A code that the pass had before is marked as issued again. */
export function insertCodes(tx: TenantTx, codes: readonly NewCode[]): void {
  if (codes.length === 0) return;
  tx.defer(sql`
    insert into issued_code as known (tenant_id, pass_id, code_hash, code, issued_at)
    select ${tx.tenantId}, pass_id, ${hashOf(sql`code`)}, code, issued_at
      from unnest(${codes.map(({ passId }) => passId)}::text[],
                  ${codes.map(({ code }) => code)}::text[],
                  ${codes.map(({ issuedAt }) => issuedAt)}::timestamptz[])
           as issued (pass_id, code, issued_at)
     -- Two who note the same codes wait for each other in one direction only.
     order by pass_id, code
        on conflict (tenant_id, pass_id, code_hash) do update
       set issued_at = excluded.issued_at
     where known.issued_at < excluded.issued_at
  `);
}

/** Does nothing for passes that were erased meanwhile: see `holdPasses`. */
export function insertCodesOfKnown(tx: TenantTx, codes: readonly NewCode[]): void {
  if (codes.length === 0) return;
  tx.defer(sql`
    insert into issued_code (tenant_id, pass_id, code_hash, code, issued_at)
    select ${tx.tenantId}, pass_id, ${hashOf(sql`code`)}, code, issued_at
      from unnest(${codes.map(({ passId }) => passId)}::text[],
                  ${codes.map(({ code }) => code)}::text[],
                  ${codes.map(({ issuedAt }) => issuedAt)}::timestamptz[])
           as issued (pass_id, code, issued_at)
     where exists (select from pass where tenant_id = ${tx.tenantId} and id = issued.pass_id)
     order by pass_id, code
        on conflict do nothing
  `);
}

export async function deleteCodes(tx: TenantTx, ids: readonly string[]): Promise<void> {
  tx.defer(sql`
    delete from code_due where tenant_id = ${tx.tenantId} and pass_id = any(${ids}::text[])
  `);
  await tx.run(sql`
    delete from issued_code where tenant_id = ${tx.tenantId} and pass_id = any(${ids}::text[])
  `);
}

/**
 * The pass that a code belongs to: the one with this id, else one that was issued with it, now or
 * earlier, else one that has it as a unique identifier with one of these names. People may choose
 * identifiers themselves, and must not get the code of somebody else by that, whatever became of the
 * other pass. Of several of the same kind, one that is active at that time comes first, then the one
 * that got the code last. Every part of the statement reads an index.
 */
export async function findPassByCode(
  context: Pick<TenantContext, "tenantId" | "read">,
  code: string,
  names: readonly string[],
  at: Date,
): Promise<Pass | undefined> {
  const rows = await context.read(sql<Pass>`
    select ${passColumns}
      from (select 1 as rank, pass_id as found_id, issued_at as found_at
              from issued_code
             where tenant_id = ${context.tenantId}
               and code_hash = ${hashOf(sql`${code}::text`)}
               and code = ${code}::text
             union all
            select 0, ${code}::text collate "C", null
             union all
            select 2, pass_id, null
              from pass_identifier
             where tenant_id = ${context.tenantId}
               and name = any(${names}::text[])
               and value = ${code}::text
               and is_unique) as found
      join pass on pass.tenant_id = ${context.tenantId} and pass.id = found.found_id
     order by rank, status = 'active' and (expires_at is null or expires_at > ${at}) desc,
              coalesce(found_at, created_at) desc, id desc
     limit 1
  `);
  return rows[0];
}

/** A pass with everything that a scanner may read from it. */
export type PassCodes = Pick<Pass, "id" | "passType" | "status" | "expiresAt" | "version"> & {
  /** The codes it was issued with, except its id. */
  readonly codes: readonly string[];
  readonly identifiers: readonly string[];
};

/**
 * Lists passes with their codes, in the order of their ids, from the one after `after`. Codes that lead
 * to another pass before this one are left out: see `findPassByCode`.
 */
export function listPassCodes(
  context: Pick<TenantContext, "tenantId" | "read">,
  { passType, after, count }: { passType: string | null; after: string; count: number },
): Promise<PassCodes[]> {
  return context.read(sql<PassCodes>`
    select id, pass_type as "passType", status, expires_at as "expiresAt", version,
           array(select code
                   from issued_code
                  where tenant_id = ${context.tenantId} and pass_id = pass.id
                    and not ${isOtherId(context, sql`code`)}
                  order by code) as codes,
           array(select value
                   from pass_identifier
                  where tenant_id = ${context.tenantId} and pass_id = pass.id and is_unique
                    and not ${isOtherId(context, sql`value`)}
                    and not exists (
                          select from issued_code
                           where tenant_id = ${context.tenantId}
                             and code_hash = ${hashOf(sql`pass_identifier.value`)}
                             and code = pass_identifier.value
                             and pass_id <> pass.id)
                  order by value) as identifiers
      from pass
     where tenant_id = ${context.tenantId}
       and id > ${after}
       and (${passType}::text is null or pass_type = ${passType}::text)
     order by id
     limit ${count}
  `);
}

/** Whether it is the id of another pass than the one in the row. */
function isOtherId({ tenantId }: Pick<TenantContext, "tenantId">, value: Sql): Sql {
  return sql`
    exists (select from pass as other
             where other.tenant_id = ${tenantId} and other.id = ${value} and other.id <> pass.id)
  `;
}

/** Notes passes whose codes only the full rendering can tell. */
export function insertDue(tx: TenantTx, ids: readonly string[]): void {
  tx.defer(sql`
    insert into code_due (tenant_id, pass_id)
    select ${tx.tenantId}, id from unnest(${ids}::text[]) as id
     order by id
        on conflict (tenant_id, pass_id) do update set revision = code_due.revision + 1
  `);
}

export type DuePass = { readonly passId: string; readonly revision: number };

export function listDue(context: TenantContext, count: number): Promise<DuePass[]> {
  return context.read(sql<DuePass>`
    select pass_id as "passId", revision
      from code_due
     where tenant_id = ${context.tenantId}
     order by pass_id
     limit ${count}
  `);
}

/** Keeps those that became due again meanwhile. */
export function deleteDue(tx: TenantTx, done: readonly DuePass[]): void {
  tx.defer(sql`
    delete from code_due
     where tenant_id = ${tx.tenantId}
       and (pass_id, revision) in (
             select * from unnest(${done.map(({ passId }) => passId)}::text[],
                                  ${done.map(({ revision }) => revision)}::integer[]))
  `);
}

export function listPassesById(context: TenantContext, ids: readonly string[]): Promise<Pass[]> {
  return context.read(sql<Pass>`
    select ${passColumns}
      from pass
     where tenant_id = ${context.tenantId} and id = any(${ids}::text[])
  `);
}

export function listPassesAfter(
  context: TenantContext,
  after: string,
  count: number,
): Promise<Pass[]> {
  return context.read(sql<Pass>`
    select ${passColumns}
      from pass
     where tenant_id = ${context.tenantId} and id > ${after}
     order by id
     limit ${count}
  `);
}

export async function hasPasses(tx: TenantTx): Promise<boolean> {
  const row = await tx.maybeOne(sql<{ found: number }>`
    select 1 as found from pass where tenant_id = ${tx.tenantId} limit 1
  `);
  return row !== undefined;
}

/** By which rules the codes of a tenant's passes were noted, and how far that came. */
export type CodeWalk = {
  /** The fingerprints of the rules, by pass type; marked where the walk has not ended. */
  readonly rules: Readonly<Record<string, string>>;
  /** The last pass of a walk that has not ended; null if none is under way. */
  readonly after: string | null;
};

export async function findWalk(context: TenantContext): Promise<CodeWalk | undefined> {
  const rows = await context.read(sql<CodeWalk>`
    select rules, after_pass as "after" from code_walk where tenant_id = ${context.tenantId}
  `);
  return rows[0];
}

/** False, and nothing is written, if this version of the configuration is not in force any more. */
export async function upsertWalk(
  tx: TenantTx,
  version: number,
  { rules, after }: CodeWalk,
): Promise<boolean> {
  const count = await tx.run(sql`
    insert into code_walk (tenant_id, rules, after_pass)
    select id, ${JSON.stringify(rules)}::jsonb, ${after}::text
      from tenant
     where id = ${tx.tenantId} and version = ${version}
        on conflict (tenant_id) do update
       set rules = excluded.rules, after_pass = excluded.after_pass
  `);
  return count === 1;
}

/** The tenants whose passes are not all noted yet, because a run ended early or none began. */
export async function listUnfinishedTenants(context: SystemContext): Promise<string[]> {
  const rows = await context.read(sql<{ tenantId: string }>`
    select tenant_id as "tenantId" from code_walk where after_pass is not null
     union
    select distinct tenant_id from code_due
  `);
  return rows.map(({ tenantId }) => tenantId);
}
