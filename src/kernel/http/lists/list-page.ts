import { type Sql, sql } from "../../db/sql.ts";
import { type Answer, answer } from "../route.ts";
import { countSome, type ListTotal, type Reader } from "./list-count.ts";
import { encodeCursor, nextLink } from "./list-cursor.ts";
import { defaultSorts, PAGE_SIZE_MAX } from "./list-query.ts";
import type { ListQuery, ListSpec } from "./list-spec.ts";
import { type ListPart, listConditions, listParts, type OrderedRows, orderBy } from "./list-sql.ts";

export type ListSource<Row> = {
  /** The columns after `select`. */
  readonly columns: Sql<Row>;
  /** The tables after `from`. */
  readonly from: Sql;
  /** The tenant and any other condition that always holds. */
  readonly where: Sql;
  readonly spec: ListSpec;
  /**
   * Tables in which the rows already are in the order of the list. Without them the rows are
   * sorted, so there must be few.
   */
  readonly ordered?: OrderedRows | undefined;
  present(row: Row): unknown;
  /** For a list that is counted in a better way than up to a limit. `where` is the whole condition. */
  count?(list: ListQuery, where: Sql): Promise<ListTotal>;
};

export type ListInput = { readonly list: ListQuery; readonly url: string };

/**
 * One page of a list, with the headers that lead to other pages. A page that is requested by cursor has
 * no total: the first page had it.
 */
export async function listPage<Row extends object>(
  reader: Reader,
  source: ListSource<Row>,
  { list, url }: ListInput,
): Promise<Answer> {
  const { spec } = source;
  const where = sql`${source.where} and ${listConditions(list)}`;
  const parts = listParts(list, spec, source.ordered);
  const offset = list.cursor === undefined ? list.pageIndex * list.pageSize : 0;
  // A list without filters and sorting is a named statement, which is planned once; lists with them
  // have too many different texts to be named.
  const shaped = <Shaped>(piece: Sql<Shaped>) => (list.isDefault ? piece : sql.unnamed(piece));
  const [found, total] = await Promise.all([
    reader.read(shaped(pageOf(source, where, parts, offset, list.pageSize + 1))),
    list.cursor === undefined
      ? (source.count?.(list, where) ?? countSome(reader, matchesOf(source, where)))
      : undefined,
  ]);

  const rows = found.slice(0, list.pageSize);
  const last = rows.at(-1);
  const headers: Record<string, string> = {};
  if (total !== undefined) {
    headers["x-pagination-total"] = String(total.total);
    headers["x-pagination-total-is"] = total.isExact ? "exact" : "estimate";
  }
  if (found.length > list.pageSize && last !== undefined) {
    // After a list that was requested whole, the rest comes in pages of the largest size.
    const asked = list.isWhole ? withPageSize(url, PAGE_SIZE_MAX) : url;
    headers.link = nextLink(asked, encodeCursor(list, spec, last.cursor_values));
  }
  return answer(rows.map(source.present), { headers });
}

/**
 * What is counted, in the order that the table's index has, whatever order was asked for. Without one,
 * PostgreSQL may look for the rows of a large tenant from the beginning of the table, where those of
 * others may be.
 */
function matchesOf<Row>({ from, spec }: ListSource<Row>, where: Sql): Sql {
  return sql`select from ${from} where ${where} order by ${orderBy(defaultSorts(spec), spec)}`;
}

function withPageSize(url: string, pageSize: number): string {
  return `${url}${url.includes("?") ? "&" : "?"}pageSize=${pageSize}`;
}

type Placed = { readonly cursor_values: (string | null)[] };

/**
 * PostgreSQL reads the parts of a `union all` one after the other, and skips the parts that the
 * page does not reach: it keeps their order, and never reads parts with a limit in parallel.
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
