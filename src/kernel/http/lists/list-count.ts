import { type Sql, sql } from "../../db/sql.ts";

export type Reader = { read<Row>(statement: Sql<Row>): Promise<Row[]> };

/** The number of entries that fit the filters of a list, or an estimate of it. */
export type ListTotal = { readonly total: number; readonly isExact: boolean };

/** Rows are counted up to so many; beyond that, the total of a list is a lower bound. */
const COUNTED_MAX = 10_000;

/** Counts the rows of a list, so that a first page costs the same however long its list is. */
export async function countSome(reader: Reader, rows: Sql): Promise<ListTotal> {
  const total = await countUpTo(reader, rows, COUNTED_MAX + 1);
  return { total, isExact: total <= COUNTED_MAX };
}

type Count = { readonly total: string };

/**
 * Counts rows, but not more than `max`. Unnamed: PostgreSQL plans a named statement for any limit, and
 * for some of them it would read the whole table.
 */
export async function countUpTo(reader: Reader, rows: Sql, max: number): Promise<number> {
  const [row] = await reader.read(
    sql.unnamed(sql<Count>`select count(*) as total from (${rows} limit ${max}) as counted`),
  );
  return Number(row?.total ?? 0);
}
