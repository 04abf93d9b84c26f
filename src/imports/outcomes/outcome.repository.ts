import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import {
  DELETED_MESSAGE,
  OUTCOMES,
  type Outcome,
  type OutcomeKind,
  presentOutcome,
} from "./outcome.schema.ts";

/** Longer messages are cut: they are for people, and a row may hold a megabyte. */
const MESSAGE_CHARS_MAX = 500;

export const outcomeColumns: Sql<Outcome> = sql<Outcome>`
  row, line, outcome, pass_id as "passId", identifiers, message
`;

/** One statement for any number of rows. The result is not awaited. */
export function insertOutcomes(tx: TenantTx, fileId: string, outcomes: readonly Outcome[]): void {
  if (outcomes.length === 0) return;
  tx.defer(sql`
    insert into import_outcome (tenant_id, file_id, row, line, outcome, pass_id, identifiers, message)
    select ${tx.tenantId}, ${fileId}, row, line, outcome, pass_id, identifiers::jsonb, message
      from unnest(
             ${outcomes.map(({ row }) => row)}::integer[],
             ${outcomes.map(({ line }) => line)}::integer[],
             ${outcomes.map(({ outcome }) => outcome)}::text[],
             ${outcomes.map(({ passId }) => passId)}::text[],
             ${outcomes.map(({ identifiers }) => storedJson(identifiers))}::text[],
             ${outcomes.map(({ message }) => storedText(message))}::text[]
           ) as sent (row, line, outcome, pass_id, identifiers, message)
  `);
  insertTraces(tx, fileId, outcomes);
}

/** By these the outcomes are found that their pass does not lead to, when it is erased. */
function insertTraces(tx: TenantTx, fileId: string, outcomes: readonly Outcome[]): void {
  const traced = outcomes.filter(({ outcome, passId }) => outcome === "failed" || passId === null);
  if (traced.length === 0) return;
  tx.defer(sql`
    insert into import_trace (tenant_id, term, file_id, row)
    select ${tx.tenantId}, import_term_of(pair.key, pair.value), ${fileId}, row
      from unnest(
             ${traced.map(({ row }) => row)}::integer[],
             ${traced.map(({ identifiers }) => storedJson(identifiers))}::text[]
           ) as sent (row, identifiers)
           cross join jsonb_each_text(identifiers::jsonb) as pair
        on conflict do nothing
  `);
}

/** PostgreSQL stores neither NUL nor halves of surrogate pairs, which a broken row may contain. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

function storedJson(identifiers: Outcome["identifiers"]): string {
  const json = JSON.stringify(identifiers);
  return UNSTORABLE.test(json) ? "{}" : json;
}

function storedText(text: string | null): string | null {
  if (text === null) return null;
  return text.slice(0, MESSAGE_CHARS_MAX).replaceAll("\0", "").toWellFormed();
}

/** In the order of the file, after a row. */
export function listOutcomesAfter(
  context: TenantContext,
  fileId: string,
  after: number,
  outcome: OutcomeKind | undefined,
  count: number,
): Promise<Outcome[]> {
  return context.read(sql<Outcome>`
    select ${outcomeColumns}
      from import_outcome
     where tenant_id = ${context.tenantId} and file_id = ${fileId} and row > ${after}
           ${isOutcome(outcome)}
     order by row
     limit ${count}
  `);
}

export const OUTCOME_LIST: ListSpec = {
  fields: {
    row: { sql: "row", type: "integer", nullable: false },
    line: { sql: "line", type: "integer", nullable: false, sortable: false },
    outcome: { sql: "outcome", type: "text", values: OUTCOMES, nullable: false, sortable: false },
    passId: { sql: "pass_id", type: "text", sortable: false },
  },
  id: "row",
  paging: "always",
};

/** `total` is the number of outcomes of this kind, as the file has counted them. */
export function listOutcomesPage(
  context: TenantContext,
  fileId: string,
  outcome: OutcomeKind | undefined,
  total: number,
  input: ListInput,
): Promise<Answer> {
  return listPage(
    context,
    {
      columns: outcomeColumns,
      from: sql`import_outcome`,
      where: sql`tenant_id = ${context.tenantId} and file_id = ${fileId} ${isOutcome(outcome)}`,
      spec: OUTCOME_LIST,
      present: presentOutcome,
      ...(input.list.filters.length > 0 ? {} : { count: async () => ({ total, isExact: true }) }),
    },
    input,
  );
}

/** The failed rows are written as a constant, by which PostgreSQL finds their index. */
function isOutcome(outcome: OutcomeKind | undefined): Sql {
  if (outcome === undefined) return sql``;
  return outcome === "failed" ? sql`and outcome = 'failed'` : sql`and outcome = ${outcome}`;
}

/** A pass or a customer as it was. */
export type Erased = {
  readonly id: string;
  readonly identifiers: Readonly<Record<string, string>>;
};

/**
 * That these rows were imported stays; what tells of the persons goes. Rows that failed, and those of
 * dry runs, are found by the identifiers. Returns the files of the rows.
 */
export async function eraseOutcomes(tx: TenantTx, erased: readonly Erased[]): Promise<string[]> {
  const ids = erased.map(({ id }) => id);
  const named = erased.flatMap(({ identifiers }) => Object.entries(identifiers));
  const rows = await tx.many(sql<{ fileId: string }>`
    with named as (
      select import_term_of(name, value) as term, jsonb_build_object(name, value) as pair
        from unnest(${named.map(([name]) => name)}::text[],
                    ${named.map(([, value]) => value)}::text[]) as sent (name, value)
    ), about as materialized (
      select file_id, row, identifiers
        from import_outcome
       where tenant_id = ${tx.tenantId} and pass_id = any(${ids}::text[])
       union
      select told.file_id, told.row, told.identifiers
        from named
        join import_trace as trace on trace.tenant_id = ${tx.tenantId} and trace.term = named.term
        join import_outcome as told on told.tenant_id = trace.tenant_id
         and told.file_id = trace.file_id and told.row = trace.row
       where told.identifiers @> named.pair
    ), untraced as (
      delete from import_trace as trace
       using about cross join jsonb_each_text(about.identifiers) as pair
       where trace.tenant_id = ${tx.tenantId}
         and trace.term = import_term_of(pair.key, pair.value)
         and trace.file_id = about.file_id
         and trace.row = about.row
    ), erased as (
      update import_outcome as told
         set identifiers = '{}',
             message = case when told.message = ${DELETED_MESSAGE} then told.message end
        from about
       where told.tenant_id = ${tx.tenantId}
         and told.file_id = about.file_id
         and told.row = about.row
      returning told.file_id
    )
    select distinct file_id as "fileId" from erased order by file_id
  `);
  return rows.map(({ fileId }) => fileId);
}

/** Returns the number of deleted outcomes. */
export function deleteOutcomes(tx: TenantTx, fileId: string, count: number): Promise<number> {
  return tx.run(sql`
    with oldest as materialized (
      select row, identifiers, outcome = 'failed' or pass_id is null as is_traced
        from import_outcome
       where tenant_id = ${tx.tenantId} and file_id = ${fileId}
       order by row
       limit ${count}
    ), untraced as (
      delete from import_trace as trace
       using oldest cross join jsonb_each_text(oldest.identifiers) as pair
       where oldest.is_traced
         and trace.tenant_id = ${tx.tenantId}
         and trace.term = import_term_of(pair.key, pair.value)
         and trace.file_id = ${fileId}
         and trace.row = oldest.row
    )
    delete from import_outcome as told
     using oldest
     where told.tenant_id = ${tx.tenantId} and told.file_id = ${fileId} and told.row = oldest.row
  `);
}
