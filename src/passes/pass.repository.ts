import type { TenantContext } from "#kernel/context.ts";
import { violatedUnique } from "#kernel/db/failures.ts";
import { defineRecord } from "#kernel/db/record.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Identifiers } from "#src/customers/public.ts";
import { PASS_MEMBERS, type Pass } from "./pass.schema.ts";

const record = defineRecord<Pass, typeof PASS_MEMBERS>(PASS_MEMBERS);
export const { columns: passColumns } = record;

export async function findPass(context: TenantContext, id: string): Promise<Pass | undefined> {
  const rows = await context.read(sql<Pass>`
    select ${passColumns} from pass where tenant_id = ${context.tenantId} and id = ${id}
  `);
  return rows[0];
}

export type NamedPass = {
  readonly passId: string;
  /** Whether the template of the pass calls the identifier unique. */
  readonly isUnique: boolean;
};

/** Passes with this identifier, of any type: one identifier may be on every ticket of an event. */
export function listHolders(
  context: TenantContext,
  name: string,
  value: string,
  countMax: number,
): Promise<NamedPass[]> {
  return context.read(sql<NamedPass>`
    select pass_id as "passId", is_unique as "isUnique"
      from pass_identifier
     where tenant_id = ${context.tenantId} and name = ${name} and value = ${value}
     limit ${countMax}
  `);
}

/**
 * Locks the passes in the order of their ids, so that two transactions that change many passes do
 * not deadlock.
 */
export function findPassesForUpdate(tx: TenantTx, ids: readonly string[]): Promise<Pass[]> {
  return tx.many(sql<Pass>`
    select ${passColumns}
      from pass
     where tenant_id = ${tx.tenantId} and id = any(${ids}::text[])
     order by id
       for update
  `);
}

/**
 * Inserts a new pass and its identifiers. Returns false and inserts nothing if another pass of the
 * type has one of the unique identifiers; waits for transactions that are inserting one.
 */
export async function insertPass(
  tx: TenantTx,
  pass: Pass,
  unique: readonly string[],
): Promise<boolean> {
  const made = await tx.run(insertion(tx, pass, unique, (isFree) => isFree));
  if (made === 0) await deleteIdentifiers(tx, [pass.id]);
  return made > 0;
}

/**
 * Does the same on the guess that no pass has the identifiers: the result is not awaited, and a
 * wrong guess fails the transaction.
 */
export function insertPassUnseen(tx: TenantTx, pass: Pass, unique: readonly string[]): void {
  tx.defer(insertion(tx, pass, unique, (isFree) => sql`require_guess(${isFree})`));
}

/** The insertion as one statement. `when` says what happens if an identifier is taken. */
function insertion(
  tx: TenantTx,
  pass: Pass,
  unique: readonly string[],
  when: (isFree: Sql) => Sql,
): Sql {
  const count = Object.keys(pass.identifiers).length;
  return sql`
    with known as (
      ${insertIdentifiers(tx, pass, unique)}
    )
    insert into pass (tenant_id, ${record.insertColumns})
    select ${tx.tenantId}, ${record.insertValues(pass)}
     where ${when(sql`(select count(*) from known) = ${count}`)}
  `;
}

/** The names that are unique among the passes of a type. */
export type UniqueIn = (passType: string) => readonly string[];

/**
 * Inserts many new passes and their identifiers, on the guess that no other pass has one of the
 * unique ones: the results are not awaited, and a wrong guess fails the transaction with an error
 * for which `isIdentifierClash` is true. To look for each identifier first, as `insertPasses` does,
 * takes the database half as long again. Passes that have one without its mark do not fail it: the
 * caller has looked for them in this transaction, and no others appear (`requirePublishedRules`).
 */
export function insertPassesUnseen(tx: TenantTx, made: readonly Pass[], uniqueIn: UniqueIn): void {
  tx.defer(insertManyIdentifiers(tx, identifiersOf(made, uniqueIn)));
  tx.defer(insertMade(tx, made));
}

const UNIQUE_INDEX = "pass_identifier_unique";

/** Another pass has an identifier that a pass of `insertPassesUnseen` was to have. */
export function isIdentifierClash(error: unknown): boolean {
  return violatedUnique(error) === UNIQUE_INDEX;
}

function insertMade(tx: TenantTx, made: readonly Pass[]): Sql {
  return sql`
    insert into pass (tenant_id, ${record.insertColumns})
    select ${tx.tenantId}, ${record.madeColumns} from ${record.made(made)}
  `;
}

/**
 * Inserts those of many new passes whose unique identifiers no other pass has, and returns their
 * ids. Waits for transactions that are inserting one of the identifiers.
 */
export async function insertPasses(
  tx: TenantTx,
  made: readonly Pass[],
  uniqueIn: UniqueIn,
): Promise<ReadonlySet<string>> {
  const complete = await addIdentifiersOfMany(tx, made, uniqueIn);
  const inserted = made.filter(({ id }) => complete.has(id));
  if (inserted.length > 0) tx.defer(insertMade(tx, inserted));
  return complete;
}

type Identified = Pick<Pass, "id" | "passType" | "identifiers">;

/**
 * Adds identifiers to many passes. Returns the ids of those that now have all of them; to the others
 * nothing is added, because another pass of the type has one of the unique identifiers.
 */
export async function addIdentifiersOfMany(
  tx: TenantTx,
  passes: readonly Identified[],
  uniqueIn: UniqueIn,
): Promise<ReadonlySet<string>> {
  const wanted = identifiersOf(passes, uniqueIn);
  const ifFree = {
    where: sql`where not (is_unique and ${isHeld(tx, sql`identifier.pass_type`)})`,
    onConflict: sql`on conflict do nothing`,
  };
  const added = wanted.length === 0 ? [] : await tx.many(insertManyIdentifiers(tx, wanted, ifFree));
  const complete = new Set(passes.map(({ id }) => id));
  if (added.length === wanted.length) return complete;
  const counts = Map.groupBy(added, ({ passId }) => passId);
  const lacking: Pick<Pass, "id" | "identifiers">[] = [];
  for (const { id, identifiers } of passes) {
    const count = counts.get(id)?.length ?? 0;
    if (count === Object.keys(identifiers).length) continue;
    complete.delete(id);
    lacking.push({ id, identifiers });
  }
  await removeIdentifiersOfMany(tx, lacking);
  return complete;
}

type NewIdentifier = {
  readonly name: string;
  readonly value: string;
  readonly passId: string;
  readonly passType: string;
  readonly isUnique: boolean;
};

function identifiersOf(passes: readonly Identified[], uniqueIn: UniqueIn): NewIdentifier[] {
  return passes.flatMap(({ id: passId, passType, identifiers }) => {
    const unique = uniqueIn(passType);
    return Object.entries(identifiers).map(([name, value]) => ({
      name,
      value,
      passId,
      passType,
      isUnique: unique.includes(name),
    }));
  });
}

function insertManyIdentifiers(
  tx: TenantTx,
  wanted: readonly NewIdentifier[],
  { where = sql``, onConflict = sql`` }: { readonly where?: Sql; readonly onConflict?: Sql } = {},
): Sql<{ passId: string }> {
  return sql<{ passId: string }>`
    insert into pass_identifier (tenant_id, name, value, pass_id, pass_type, is_unique)
    select ${tx.tenantId}, name, value, pass_id, pass_type, is_unique
      from unnest(${wanted.map(({ name }) => name)}::text[],
                  ${wanted.map(({ value }) => value)}::text[],
                  ${wanted.map(({ passId }) => passId)}::text[],
                  ${wanted.map(({ passType }) => passType)}::text[],
                  ${wanted.map(({ isUnique }) => isUnique)}::boolean[])
           as identifier (name, value, pass_id, pass_type, is_unique)
    ${where}
     -- Two who want the same ones wait for each other in one direction only.
     order by name, value
    ${onConflict}
    returning pass_id as "passId"
  `;
}

/**
 * Whether a pass of the type has the identifier of the row, with the mark of a unique one or without:
 * the mark follows a publication some time later, and the rule holds at once. The key leads to the
 * entry beside which the new one is inserted. The offset keeps the database from reading all
 * identifiers of the tenant into memory first.
 */
function isHeld(tx: TenantTx, passType: Sql): Sql {
  return sql`exists (
    select from pass_identifier as known
     where known.tenant_id = ${tx.tenantId}
       and known.name = identifier.name
       and known.value = identifier.value
       and known.pass_type = ${passType}
    offset 0)`;
}

function insertIdentifiers(
  tx: TenantTx,
  { id, passType, identifiers }: Pick<Pass, "id" | "passType" | "identifiers">,
  unique: readonly string[],
): Sql {
  return sql`
    insert into pass_identifier (tenant_id, name, value, pass_id, pass_type, is_unique)
    select ${tx.tenantId}, name, value, ${id}, ${passType}, name = any(${unique}::text[])
      from unnest(${Object.keys(identifiers)}::text[], ${Object.values(identifiers)}::text[])
           as identifier (name, value)
     where not (name = any(${unique}::text[]) and ${isHeld(tx, sql`${passType}`)})
     -- Two who want the same ones wait for each other in one direction only.
     order by name
        on conflict do nothing
    returning 1
  `;
}

/**
 * Adds identifiers to a pass. Returns false and adds nothing if another pass of the type has one of
 * the unique identifiers.
 */
export async function addIdentifiers(
  tx: TenantTx,
  pass: Pick<Pass, "id" | "passType" | "identifiers">,
  unique: readonly string[],
): Promise<boolean> {
  const wanted = Object.keys(pass.identifiers).length;
  const made = wanted === 0 ? 0 : await tx.run(insertIdentifiers(tx, pass, unique));
  if (made === wanted) return true;
  await removeIdentifiers(tx, pass.id, pass.identifiers);
  return false;
}

export function removeIdentifiers(
  tx: TenantTx,
  id: string,
  identifiers: Identifiers,
): Promise<void> {
  return removeIdentifiersOfMany(tx, [{ id, identifiers }]);
}

export async function removeIdentifiersOfMany(
  tx: TenantTx,
  losing: readonly Pick<Pass, "id" | "identifiers">[],
): Promise<void> {
  const gone = losing.flatMap(({ id, identifiers }) =>
    Object.entries(identifiers).map(([name, value]) => ({ id, name, value })),
  );
  if (gone.length === 0) return;
  await tx.run(sql`
    delete from pass_identifier
     where tenant_id = ${tx.tenantId}
       and pass_id = any(${gone.map(({ id }) => id)}::text[])
       and (name, value, pass_id) in (
             select * from unnest(${gone.map(({ name }) => name)}::text[],
                                  ${gone.map(({ value }) => value)}::text[],
                                  ${gone.map(({ id }) => id)}::text[]))
  `);
}

export async function deleteIdentifiers(tx: TenantTx, ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    delete from pass_identifier where tenant_id = ${tx.tenantId} and pass_id = any(${ids}::text[])
  `);
}

/**
 * Writes many changed passes at once: their rows must be locked, and their versions the next ones.
 */
export async function updatePasses(tx: TenantTx, changed: readonly Pass[]): Promise<void> {
  await tx.run(sql`
    update pass
       set ${record.changedAssignments},
           updated_at = greatest(${tx.now}::timestamptz, pass.updated_at)
      from ${record.changed(changed)}
     where pass.tenant_id = ${tx.tenantId}
       and pass.id = changed.id
       -- Says the same once more, so that no plan reads all passes of the tenant for it.
       and pass.id = any(${changed.map(({ id }) => id)}::text[])
  `);
}

export async function deletePasses(tx: TenantTx, ids: readonly string[]): Promise<void> {
  await deleteIdentifiers(tx, ids);
  await tx.run(sql`
    delete from pass where tenant_id = ${tx.tenantId} and id = any(${ids}::text[])
  `);
}

export type ExpiredPass = {
  readonly tenantId: string;
  readonly id: string;
  /** The time of the database's clock, by which the pass has expired. */
  readonly now: Date;
};

export type ExpiredPlace = { readonly after: string; readonly passType: string | undefined };

/** The same of one tenant, in the order of ids. */
export function listExpiredOf(
  tx: TenantTx,
  count: number,
  { after, passType }: ExpiredPlace,
): Promise<ExpiredPass[]> {
  const ofType = passType === undefined ? sql`` : sql`and pass_type = ${passType}`;
  return tx.many(sql<ExpiredPass>`
    select tenant_id as "tenantId", id, now() as now
      from pass
     where tenant_id = ${tx.tenantId} and status = 'active' and expires_at <= now() and id > ${after}
           ${ofType}
     order by id
     limit ${count}
  `);
}

/** Lists passes whose time is over, of all tenants except `exceptTenants`; longest overdue first. */
export function listExpired(
  tx: TenantTx,
  count: number,
  exceptTenants: readonly string[],
): Promise<ExpiredPass[]> {
  return tx.many(sql<ExpiredPass>`
    select tenant_id as "tenantId", id, now() as now
      from pass
     where status = 'active' and expires_at <= now()
       and tenant_id <> all(${exceptTenants}::text[])
     order by expires_at
     limit ${count}
  `);
}
