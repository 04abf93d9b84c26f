import type { SystemContext } from "../context.ts";
import { type Sql, sql } from "../db/sql.ts";
import type { TenantTx } from "../db/transaction.ts";
import { MARK_BYTES, type Sealer } from "./sealer.ts";

/** The primary key of a row, by column. */
export type RowKey = Readonly<Record<string, unknown>>;

/**
 * A column that holds sealed values. A module that seals values into a table must declare the
 * column, so that the values can be resealed when the master key changes.
 */
export type SealedColumn = {
  readonly table: string;
  readonly column: string;
  /** The columns of the primary key, in its order. */
  readonly key: readonly [string, ...string[]];
  /** The rows that hold sealed values, if not all of them do. */
  readonly where?: Sql;
  readonly purpose: string;
  contextOf(key: RowKey): string;
  /**
   * True if the product cannot work without these values: it then refuses to start with master keys
   * that cannot open them.
   */
  readonly essential: boolean;
};

const BATCH = 200;
/**
 * The number of values tried to prove a key, because one damaged row must not prevent the start.
 */
const SAMPLE = 5;

type Row = { readonly place: string; readonly sealed: Buffer } & RowKey;

/** Whether the column holds a value that was sealed with none of these keys. */
export async function hasOthers(
  context: SystemContext,
  column: SealedColumn,
  marks: readonly Buffer[],
): Promise<boolean> {
  const rows = await context.read(sql`
    select 1 from ${sql.raw(column.table)} where ${bearsNone(column, marks)} limit 1
  `);
  return rows.length > 0;
}

/** False if the column has values and the known keys open none of those tried. */
export async function opensSome(context: SystemContext, column: SealedColumn): Promise<boolean> {
  const { sealer } = context.runtime;
  const rows = await context.read(sql<Row>`
    select ${columnsOf(column)}
      from ${sql.raw(column.table)}
     where ${column.where ?? sql`true`}
     limit ${SAMPLE}
  `);
  return rows.length === 0 || rows.some((row) => open(sealer, column, row) !== undefined);
}

export type Resealed = { readonly sealed: number; readonly unopened: number };

/**
 * Reseals a column with the current key, in short transactions and in the order of the primary key,
 * so that each row is visited once and two processes do not deadlock.
 */
export async function resealColumn(
  context: SystemContext,
  column: SealedColumn,
  signal: AbortSignal,
): Promise<Resealed> {
  const { sealer } = context.runtime;
  let [sealed, unopened] = [0, 0];
  for (let last: RowKey | undefined; ; ) {
    signal.throwIfAborted();
    const rows = await context.transaction((tx) => resealBatch(tx, sealer, column, last));
    sealed += rows.filter(({ isOpen }) => isOpen).length;
    unopened += rows.filter(({ isOpen }) => !isOpen).length;
    last = rows.at(-1)?.key;
    if (rows.length < BATCH || last === undefined) return { sealed, unopened };
  }
}

async function resealBatch(
  tx: TenantTx,
  sealer: Sealer,
  column: SealedColumn,
  after: RowKey | undefined,
): Promise<{ key: RowKey; isOpen: boolean }[]> {
  const table = sql.raw(column.table);
  const rows = await tx.many(sql<Row>`
    select ${columnsOf(column)}
      from ${table}
     where ${bearsNone(column, [sealer.mark])}
       and ${isAfter(column, after)}
     order by ${sql.raw(column.key.join(", "))}
     limit ${BATCH}
       for update
  `);
  const fresh = rows.map((row) => {
    const plain = open(sealer, column, row);
    if (plain === undefined) return { row, sealed: undefined };
    const sealed = sealer.seal(column.purpose, column.contextOf(row), plain);
    plain.fill(0);
    return { row, sealed };
  });
  const opened = fresh.filter(({ sealed }) => sealed !== undefined);
  // The rows are locked, so they stay unchanged until the commit.
  await tx.run(sql`
    update ${table} as target
       set ${sql.raw(column.column)} = fresh.sealed
      from unnest(${opened.map(({ row }) => row.place)}::tid[],
                  ${opened.map(({ sealed }) => sealed)}::bytea[]) as fresh (place, sealed)
     where target.ctid = fresh.place
  `);
  return fresh.map(({ row, sealed }) => ({ key: row, isOpen: sealed !== undefined }));
}

function open(sealer: Sealer, column: SealedColumn, row: Row): Buffer | undefined {
  return sealer.open(column.purpose, column.contextOf(row), row.sealed);
}

function columnsOf({ key, column }: SealedColumn): Sql {
  return sql.raw(`ctid::text as place, ${column} as sealed, ${key.join(", ")}`);
}

function bearsNone({ column, where }: SealedColumn, marks: readonly Buffer[]): Sql {
  const mark = sql.raw(`substring(${column} from 1 for ${MARK_BYTES})`);
  return sql`${where ?? sql`true`} and ${mark} <> all(${marks}::bytea[])`;
}

function isAfter({ key }: SealedColumn, last: RowKey | undefined): Sql {
  if (last === undefined) return sql`true`;
  const values = key.map((name) => sql`${last[name]}`);
  return sql`(${sql.raw(key.join(", "))}) > (${sql.join(values, ", ")})`;
}
