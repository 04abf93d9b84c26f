import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { ListQuery } from "#kernel/http/list-query.ts";
import { countUpTo } from "./pass-count.repository.ts";

/**
 * More than these are not looked at one by one: that many in a million are found soon enough by
 * walking through all passes in the order of the list.
 */
const FEW_MAX = 2_000;

/**
 * A condition that leads a list through an index, where one of its filters asks for values that few
 * passes have; else one that always holds. The database cannot choose between the two ways itself: it
 * sees a comparison of JSON, of which it knows nothing.
 */
export async function amongFew(context: TenantContext, { filters }: ListQuery): Promise<Sql> {
  const conditions = await Promise.all(
    filters.map(async ({ operator, value, column }) => {
      const ids = column.candidates?.(context.tenantId, operator, value)?.ids;
      if (ids === undefined) return [];
      const areFew = (await countUpTo(context, ids, FEW_MAX + 1)) <= FEW_MAX;
      return areFew ? [sql`pass.id = any(array(${ids}))`] : [];
    }),
  );
  return sql.join([sql`true`, ...conditions.flat()], " and ");
}
