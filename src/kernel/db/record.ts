import {
  entriesOf,
  isWritten,
  type Member,
  type Members,
  type NamesWritten,
  type SqlType,
} from "../members.ts";
import { Sql, sql } from "./sql.ts";

/**
 * Parts of the SQL statements for one kind of record. Their texts never change, so that every
 * connection parses each statement only once.
 */
export type RecordSql<Row, Inserted extends keyof Row, Updated extends keyof Row> = {
  /** The columns after `select` or `returning`. */
  readonly columns: Sql<Row>;
  readonly insertColumns: Sql;
  /** The values in the order of `insertColumns`, for use after `select` or inside `values (…)`. */
  insertValues(row: Pick<Row, Inserted>): Sql;
  /** The columns of the table `made` in the order of `insertColumns`, for use after `select`. */
  readonly madeColumns: Sql;
  /** A table `made` with the inserted members of each row; sent as one value. */
  made(rows: readonly Pick<Row, Inserted>[]): Sql;
  /** The assignments after `set`, to update one row. */
  assignments(row: Pick<Row, Updated>): Sql;
  /** The assignments after `set`, to update many rows `from` the table `changed`. */
  readonly changedAssignments: Sql;
  /** A table `changed` with the `id` and the updated members of each row; sent as one value. */
  changed(rows: readonly (Pick<Row, Updated> & { readonly id: string })[]): Sql;
};

/** Called once, when a module is loaded; a call at run time only fills in the values. */
export function defineRecord<Row extends { readonly id: string }, Table extends Members<Row>>(
  members: Table,
): RecordSql<Row, NamesWritten<Row, Table, "insert">, NamesWritten<Row, Table, "update">> {
  const all = entriesOf<Row>(members);
  const inserted = all.filter(([, { written }]) => isWritten(written, "insert"));
  const updated = all.filter(([, { written }]) => isWritten(written, "update"));
  const insertStrings = gaps(inserted, () => "");
  const assignStrings = gaps(updated, ({ column }) => `${column} = `);
  const sent = [...all.filter(([name]) => name === "id"), ...updated];
  return {
    columns: new Sql<Row>([all.map(selected).join(", ")], []),
    insertColumns: sql.raw(inserted.map(([, { column }]) => column).join(", ")),
    insertValues: (row) => new Sql(insertStrings, valuesOf(inserted, row)),
    madeColumns: sql.raw(inserted.map(([, { column }]) => `made.${column}`).join(", ")),
    made: tableOf("made", inserted),
    assignments: (row) => new Sql(assignStrings, valuesOf(updated, row)),
    changedAssignments: sql.raw(
      updated.map(([, { column }]) => `${column} = changed.${column}`).join(", "),
    ),
    changed: tableOf("changed", sent),
  };
}

type Entry = readonly [name: string, member: Member];

function selected([name, { column }]: Entry): string {
  return name === column ? column : `${column} as "${name}"`;
}

/**
 * Returns the text around the values. Each value is cast, because PostgreSQL cannot infer its type
 * everywhere.
 */
function gaps(entries: readonly Entry[], before: (member: Member) => string): readonly string[] {
  const texts = entries.map(([, member], index) => {
    const last = entries[index - 1]?.[1];
    return `${last === undefined ? "" : `::${last.type}, `}${before(member)}`;
  });
  const end = entries.at(-1)?.[1];
  return [...texts, end === undefined ? "" : `::${end.type}`];
}

function valuesOf(entries: readonly Entry[], row: object): unknown[] {
  const values = row as Readonly<Record<string, unknown>>;
  return entries.map(([name, { type }]) => toBound(values[name], type));
}

/** JSON is sent as text: the driver would turn a JavaScript array into a PostgreSQL array. */
function toBound(value: unknown, type: SqlType): unknown {
  return type === "jsonb" && value !== null ? JSON.stringify(value) : value;
}

/** A table with the entries of many rows, which are sent as one JSON value. */
function tableOf(name: string, entries: readonly Entry[]): (rows: readonly object[]) => Sql {
  const fields = entries.map(([, { column, type }]) => `${column} ${type}`).join(", ");
  const strings = ["jsonb_to_recordset(", `::jsonb) as ${name} (${fields})`];
  return (rows) => {
    const written = rows.map((row) => {
      const values = row as Readonly<Record<string, unknown>>;
      const sent: Record<string, unknown> = {};
      for (const [member, { column }] of entries) sent[column] = values[member];
      return sent;
    });
    return new Sql(strings, [JSON.stringify(written)]);
  };
}
