import pg from "pg";
import { parseExactJson } from "../exact-number.ts";
import type { WireConnection } from "./pg-inside.ts";

export type Field = { readonly name: string; readonly dataTypeID: number };
export type Column = { readonly name: string; readonly parse: (text: string) => unknown };
export type Row = Record<string, unknown>;

/** A named statement gives the same columns for as long as its connection lives. */
const knownColumns = new WeakMap<WireConnection, Map<string, readonly Column[]>>();

export function knownColumnsOf(
  connection: WireConnection,
  name: string,
): readonly Column[] | undefined {
  return knownColumns.get(connection)?.get(name);
}

export function noteColumns(
  connection: WireConnection,
  name: string,
  columns: readonly Column[],
): void {
  if (name === "") return;
  let known = knownColumns.get(connection);
  if (known === undefined) {
    known = new Map();
    knownColumns.set(connection, known);
  }
  known.set(name, columns);
}

export function columnsOf(fields: readonly Field[]): readonly Column[] {
  return fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }));
}

/** PostgreSQL keeps every digit of a number in JSON; what is read here may be written again. */
function parserOf(dataTypeID: number): (text: string) => unknown {
  const { JSON: json, JSONB: jsonb } = pg.types.builtins;
  if (dataTypeID === json || dataTypeID === jsonb) return parseExactJson;
  return pg.types.getTypeParser(dataTypeID, "text");
}

export function readRow(columns: readonly Column[], texts: readonly (string | null)[]): Row {
  const row: Row = {};
  for (let index = 0; index < columns.length; index += 1) {
    const { name, parse } = columns[index] as Column;
    const text = texts[index] ?? null;
    row[name] = text === null ? null : parse(text);
  }
  return row;
}
