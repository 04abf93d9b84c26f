import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import { countUpTo, type ListTotal } from "#kernel/http/lists/list-count.ts";
import type { ListQuery } from "#kernel/http/lists/list-spec.ts";
import { RecentMap } from "#kernel/recent-map.ts";
import { passFieldOf } from "./pass-field.repository.ts";

/** A tenant with at most so many passes always gets an exact number. */
const SMALL_TENANT_MAX = 10_000;
/**
 * In larger tenants, up to so many matches are counted for every page, unless there were more
 * lately.
 */
const COUNTED_MAX = 1_000;
/** From time to time, up to so many matches are counted. */
const COUNTED_SELDOM_MAX = 100_000;
const REMEMBERED_MS = 60_000;

type Remembered = { readonly total: number; readonly until: number };

const remembered = new RecentMap<Remembered>(5_000);

/**
 * The number of passes in a list, at a cost that does not grow with the tenant: from counters if
 * they are enough, else by counting a limited number, else from the last count or the planner's
 * estimate.
 */
export async function countPasses(
  context: TenantContext,
  list: ListQuery,
  where: Sql,
): Promise<ListTotal> {
  const counter = counterCondition(list);
  if (counter !== undefined) return { total: await readCounters(context, counter), isExact: true };

  const size = await readCounters(context, sql`true`);
  const isSmall = size <= SMALL_TENANT_MAX;
  const key = JSON.stringify([
    context.tenantId,
    list.filters.map(({ field, operator, value }) => [field, operator, value]),
  ]);
  const now = context.clock.now().getTime();
  const known = isSmall ? undefined : remembered.get(key);
  if (known !== undefined && known.until > now) return { total: known.total, isExact: false };
  const enough = isSmall ? SMALL_TENANT_MAX : COUNTED_MAX;
  const { rows, expected } = matchesOf(context, list, where);
  const few = await countUpTo(context, rows, enough + 1);
  if (few <= enough) return { total: few, isExact: true };

  const many = await countUpTo(context, rows, COUNTED_SELDOM_MAX + 1);
  const total =
    many <= COUNTED_SELDOM_MAX ? many : Math.min(await expectCount(context, expected), size);
  remembered.set(key, { total, until: now + REMEMBERED_MS });
  return { total, isExact: many <= COUNTED_SELDOM_MAX };
}

const COUNTERS: Readonly<Record<string, Sql>> = {
  passType: sql.raw("pass_type"),
  status: sql.raw("status"),
};

/** Undefined if the filters need more than the counters hold. */
function counterCondition({ filters }: ListQuery): Sql | undefined {
  const conditions = [sql`true`];
  for (const { field, operator, value } of filters) {
    const column = COUNTERS[field];
    if (column === undefined || operator !== "equals") return undefined;
    conditions.push(sql`${column} = ${value}::text`);
  }
  return sql.join(conditions, " and ");
}

type Count = { readonly total: string };

async function readCounters(context: TenantContext, condition: Sql): Promise<number> {
  const [row] = await context.read(
    sql.unnamed(sql<Count>`
      select coalesce(sum(count), 0) as total
        from pass_count
       where tenant_id = ${context.tenantId} and ${condition}
    `),
  );
  return Number(row?.total ?? 0);
}

/**
 * The rows to count, and to ask the planner about. For a single filter, the index alone is enough,
 * or nearly. Passes are sorted, so that the planner uses an index that can stop early, and not a
 * plan that reads everything first.
 */
function matchesOf(
  { tenantId }: TenantContext,
  { filters: [filter, ...others] }: ListQuery,
  where: Sql,
): { readonly rows: Sql; readonly expected: Sql } {
  const rows = sql`select from pass where ${where} order by pass.id desc`;
  if (filter === undefined || others.length > 0) return { rows, expected: rows };
  const { field, operator, value } = filter;
  const known = passFieldOf(field)?.candidates?.(tenantId, operator, value);
  if (known === undefined) return { rows, expected: rows };
  return { rows: known.areExact ? known.ids : rows, expected: known.ids };
}

type Plan = {
  readonly "QUERY PLAN": readonly { readonly Plan: { readonly "Plan Rows": number } }[];
};

/** The planner's estimate, but at least the number that was counted. */
async function expectCount(context: TenantContext, rows: Sql): Promise<number> {
  const [row] = await context.read(sql.unnamed(sql<Plan>`explain (format json) ${rows}`));
  return Math.max(row?.["QUERY PLAN"][0]?.Plan["Plan Rows"] ?? 0, COUNTED_SELDOM_MAX);
}
