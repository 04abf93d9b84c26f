import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { ListTotal } from "#kernel/http/list-page.ts";
import type { ListQuery, ListSpec } from "#kernel/http/list-query.ts";
import { listConditions } from "#kernel/http/list-sql.ts";
import { countPasses, countUpTo } from "./pass-count.repository.ts";

/**
 * More than these are not looked at one by one: that many in a million are found soon enough by
 * walking through all passes in the order of the list.
 */
const FEW_MAX = 2_000;

export type Narrowed = {
  /** What always holds: the tenant, and what leads to the few that a filter can be met by. */
  readonly where: Sql;
  /** Those that meet all filters are few, so that they can be sorted. */
  readonly areFew: boolean;
  /** How many they are, where that had to be known. */
  readonly total?: ListTotal;
};

/**
 * Leads a list through an index where one of its filters asks for values that few passes have. The
 * database cannot choose between the ways itself: it sees a comparison of JSON, of which it knows
 * nothing, and an order that it could follow for a long time before it meets the first match.
 */
export async function narrow(
  context: TenantContext,
  list: ListQuery,
  spec: ListSpec,
): Promise<Narrowed> {
  const conditions = await Promise.all(
    list.filters.map(async ({ operator, value, column }) => {
      const ids = column.candidates?.(context.tenantId, operator, value)?.ids;
      if (ids === undefined) return [];
      const areFew = (await countUpTo(context, ids, FEW_MAX + 1)) <= FEW_MAX;
      return areFew ? [sql`pass.id = any(array(${ids}))`] : [];
    }),
  );
  const found = conditions.flat();
  const where = sql.join([sql`pass.tenant_id = ${context.tenantId}`, ...found], " and ");
  if (found.length > 0) return { where, areFew: true };
  if (list.filters.length === 0 || list.sorts[0]?.column.ordered === undefined) {
    return { where, areFew: false };
  }
  const matching = sql`${where} and ${listConditions(list, spec)}`;
  const total = await countPasses(context, list, matching);
  return { where, areFew: total.total <= FEW_MAX, total };
}
