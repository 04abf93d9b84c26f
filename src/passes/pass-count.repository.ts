import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { ListTotal } from "#kernel/http/list-page.ts";
import type { ListQuery } from "#kernel/http/list-query.ts";
import { RecentMap } from "#kernel/recent-map.ts";

/** A tenant with no more passes than this always gets an exact number. */
const SMALL_TENANT_MAX = 10_000;
/** In larger ones, so many matches are counted for every page, unless they were more lately. */
const COUNTED_MAX = 1_000;
/** And so many from time to time. */
const COUNTED_SELDOM_MAX = 100_000;
const REMEMBERED_MS = 60_000;

type Remembered = { readonly total: number; readonly until: number };

const remembered = new RecentMap<Remembered>(5_000);

/**
 * How many passes a list has, at a price that does not grow with the tenant: by counters where they
 * tell, else by counting a little, else by what was counted lately or what the planner expects.
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

/** Undefined where the filters ask for more than the counters know. */
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
 * What to count, and what to ask the planner about. Of a single filter the index knows as much as the
 * passes, or nearly. Passes are ordered, so that the planner takes an index that stops early, and no
 * plan that reads all first.
 */
function matchesOf(
  { tenantId }: TenantContext,
  { filters: [filter, ...others] }: ListQuery,
  where: Sql,
): { readonly rows: Sql; readonly expected: Sql } {
  const rows = sql`select from pass where ${where} order by pass.id desc`;
  if (filter === undefined || others.length > 0) return { rows, expected: rows };
  const known = filter.column.candidates?.(tenantId, filter.operator, filter.value);
  if (known === undefined) return { rows, expected: rows };
  return { rows: known.areExact ? known.ids : rows, expected: known.ids };
}

export async function countUpTo(context: TenantContext, rows: Sql, max: number): Promise<number> {
  const [row] = await context.read(
    sql.unnamed(sql<Count>`select count(*) as total from (${rows} limit ${max}) as found`),
  );
  return Number(row?.total ?? 0);
}

type Plan = {
  readonly "QUERY PLAN": readonly { readonly Plan: { readonly "Plan Rows": number } }[];
};

/** What the planner believes, and at least what was counted. */
async function expectCount(context: TenantContext, rows: Sql): Promise<number> {
  const [row] = await context.read(sql.unnamed(sql<Plan>`explain (format json) ${rows}`));
  return Math.max(row?.["QUERY PLAN"][0]?.Plan["Plan Rows"] ?? 0, COUNTED_SELDOM_MAX);
}
