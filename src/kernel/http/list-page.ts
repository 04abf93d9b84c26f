import { type Sql, sql } from "../db/sql.ts";
import { encodeCursor, nextLink } from "./list-cursor.ts";
import { type ListQuery, type ListSpec, PAGE_SIZE_MAX } from "./list-query.ts";
import { type ListPart, listConditions, listParts } from "./list-sql.ts";
import { type Answer, answer } from "./route.ts";

type Reader = { read<Row>(statement: Sql<Row>): Promise<Row[]> };

export type ListSource<Row> = {
  /** What follows `select`. */
  readonly columns: Sql<Row>;
  /** What follows `from`. */
  readonly from: Sql;
  /** The tenant and whatever else always holds. */
  readonly where: Sql;
  readonly spec: ListSpec;
  /** Not more than are sorted at once, however long the tables are. */
  readonly areFew?: boolean;
  present(row: Row): unknown;
  /** How many match, for a list too long to be counted for each page. Gets the whole condition. */
  count?(list: ListQuery, where: Sql): Promise<ListTotal>;
};

export type ListTotal = { readonly total: number; readonly isExact: boolean };

export type ListInput = { readonly list: ListQuery; readonly url: string };

/**
 * One page of a list with the headers that lead to the others. Counting reads every row that
 * matches, so walking by cursor does without: the total was in the header of the first page.
 */
export async function listPage<Row extends object>(
  reader: Reader,
  source: ListSource<Row>,
  { list, url }: ListInput,
): Promise<Answer> {
  const { spec } = source;
  const where = sql`${source.where} and ${listConditions(list, spec)}`;
  const parts = listParts(list, spec, source.areFew);
  const offset = list.cursor === undefined ? list.pageIndex * list.pageSize : 0;
  // Lists as they come by default are named and planned once; narrowed ones have too many shapes.
  const shaped = <Shaped>(piece: Sql<Shaped>) => (list.isDefault ? piece : sql.unnamed(piece));
  const countAll = async (): Promise<ListTotal> => {
    if (source.count !== undefined) return await source.count(list, where);
    return { total: await countRows(reader, shaped(countOf(source.from, where))), isExact: true };
  };
  const [found, total] = await Promise.all([
    reader.read(shaped(pageOf(source, where, parts, offset, list.pageSize + 1))),
    list.cursor === undefined ? countAll() : undefined,
  ]);

  const rows = found.slice(0, list.pageSize);
  const last = rows.at(-1);
  const headers: Record<string, string> = {};
  if (total !== undefined) headers["x-pagination-total"] = String(total.total);
  if (total !== undefined && source.count !== undefined) {
    headers["x-pagination-total-is"] = total.isExact ? "exact" : "estimate";
  }
  if (found.length > list.pageSize && last !== undefined) {
    // What follows a whole list is given by pages, as few of them as can be.
    const asked = list.isWhole ? withPageSize(url, PAGE_SIZE_MAX) : url;
    headers.link = nextLink(asked, encodeCursor(list, spec, last.cursor_values));
  }
  return answer(rows.map(source.present), { headers });
}

function withPageSize(url: string, pageSize: number): string {
  return `${url}${url.includes("?") ? "&" : "?"}pageSize=${pageSize}`;
}

type Placed = { readonly cursor_values: (string | null)[] };

/**
 * The database reads the parts one after the other, and none that the page does not reach: it appends
 * them as they are written, and parts that have a limit are never read side by side.
 */
function pageOf<Row>(
  { columns, from }: ListSource<Row>,
  where: Sql,
  parts: readonly ListPart[],
  offset: number,
  count: number,
): Sql<Row & Placed> {
  const stretches = parts.map(
    (part) => sql`
      select ${columns}, ${part.cursorValues} as cursor_values
        from ${from} ${part.join}
       where ${where} and ${part.where}
       order by ${part.order}`,
  );
  const whole =
    stretches.length === 1
      ? stretches[0]
      : sql.join(
          stretches.map((stretch) => sql`(${stretch} limit ${offset + count})`),
          " union all ",
        );
  return sql<Row & Placed>`${whole} limit ${count} offset ${offset}`;
}

type Count = { readonly total: string };

function countOf(from: Sql, where: Sql): Sql<Count> {
  return sql<Count>`select count(*) as total from ${from} where ${where}`;
}

async function countRows(reader: Reader, statement: Sql<Count>): Promise<number> {
  const [row] = await reader.read(statement);
  return Number(row?.total ?? 0);
}
