import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import { countUpTo, type ListTotal } from "#kernel/http/lists/list-count.ts";
import type { ListQuery } from "#kernel/http/lists/list-spec.ts";
import { listConditions, type OrderedRows } from "#kernel/http/lists/list-sql.ts";
import { countPasses } from "./pass-count.repository.ts";
import { passFieldOf } from "./pass-field.repository.ts";

/**
 * If more passes match than this, they are not looked up one by one: among a million passes, a scan
 * in the order of the list finds so many soon enough.
 */
const FEW_MAX = 2_000;

export type Narrowed = {
  /**
   * The condition that always holds: the tenant and, if few passes can match a filter, their ids.
   */
  readonly where: Sql;
  /** Tables in the order of the list; undefined if few passes are sorted. */
  readonly ordered: OrderedRows | undefined;
  /** The number of matching passes, if it had to be determined. */
  readonly total?: ListTotal;
};

/**
 * Leads a list through an index if one of its filters matches few passes. PostgreSQL cannot choose
 * between the two ways itself: it has no statistics about a comparison of JSON, and would follow
 * the order of the list for a long time before it meets the first match.
 */
export async function narrow(context: TenantContext, list: ListQuery): Promise<Narrowed> {
  const conditions = await Promise.all(
    list.filters.map(async ({ field, operator, value }) => {
      const ids = passFieldOf(field)?.candidates?.(context.tenantId, operator, value)?.ids;
      if (ids === undefined) return [];
      const areFew = (await countUpTo(context, ids, FEW_MAX + 1)) <= FEW_MAX;
      return areFew ? [sql`pass.id = any(array(${ids}))`] : [];
    }),
  );
  const found = conditions.flat();
  const where = sql.join([sql`pass.tenant_id = ${context.tenantId}`, ...found], " and ");
  const ordered = found.length > 0 ? undefined : orderedBy(list);
  if (ordered === undefined || list.filters.length === 0) return { where, ordered };
  const matching = sql`${where} and ${listConditions(list)}`;
  const total = await countPasses(context, list, matching);
  return { where, ordered: total.total <= FEW_MAX ? undefined : ordered, total };
}

/** The tables that hold the passes in the first order of the list. */
export function orderedBy({ sorts: [first], filters }: ListQuery): OrderedRows | undefined {
  if (first === undefined) return undefined;
  const own = filters.filter(({ field }) => field === first.field);
  return passFieldOf(first.field)?.ordered?.(own);
}
