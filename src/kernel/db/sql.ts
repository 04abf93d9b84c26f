import { createHash } from "node:crypto";
import pg from "pg";

/**
 * A piece of SQL with its bound values. `Row` is what a statement made of it returns.
 * Every `${}` is a bound parameter or another piece; text never comes from a value.
 */
export class Sql<Row = unknown> {
  declare readonly row?: Row;
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
  readonly isUnnamed: boolean = false;

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }
}

/** A bound value as the database is sent it. */
export type WireValue = Buffer | string | null;

export type Statement = {
  readonly text: string;
  readonly name: string;
  readonly values: WireValue[];
};

/** The templates a statement is made of, in order; a gap for each bound value. */
type Shape = readonly (readonly string[] | undefined)[];
type Compiled = { readonly shape: Shape; readonly text: string; readonly name: string };

// One template literal in the source is one array, so texts are put together and hashed once for
// each combination of templates, not once for each call.
const compiledByTemplate = new WeakMap<readonly string[], Compiled>();
const namesByText = new Map<string, string>();
const NAMES_KEPT_MAX = 5_000;

/**
 * A statement whose shape follows from the request, such as one with filters: named, each shape would
 * stay on every connection for ever, and any caller could make thousands.
 */
function unnamed<Row>(piece: Sql<Row>): Sql<Row> {
  return Object.assign(new Sql<Row>(piece.strings, piece.values), { isUnnamed: true });
}

function sqlTag<Row = unknown>(strings: TemplateStringsArray, ...values: unknown[]): Sql<Row> {
  return new Sql<Row>(strings, values);
}

/** Trusted text only: column and table names that stand in our own source. */
function raw(text: string): Sql {
  return new Sql([text], []);
}

function join(parts: readonly Sql[], separator: string): Sql {
  if (parts.length === 0) return raw("");
  return new Sql(["", ...Array<string>(parts.length - 1).fill(separator), ""], parts);
}

export const sql = Object.assign(sqlTag, { raw, join, unnamed });

/**
 * Names each statement after its text, so that every connection parses and plans it once.
 */
export function compileSql(piece: Sql): Statement {
  const shape: (readonly string[] | undefined)[] = [];
  const values: WireValue[] = [];
  takeApart(piece, shape, values);
  if (piece.isUnnamed) return { text: toText(piece, { bound: 0 }), name: "", values };
  let compiled = compiledByTemplate.get(piece.strings);
  if (compiled === undefined || !isSame(compiled.shape, shape)) {
    const text = toText(piece, { bound: 0 });
    compiled = { shape, text, name: nameOf(text) };
    compiledByTemplate.set(piece.strings, compiled);
  }
  return { text: compiled.text, name: compiled.name, values };
}

function takeApart(
  { strings, values: parts }: Sql,
  shape: (readonly string[] | undefined)[],
  values: WireValue[],
): void {
  shape.push(strings);
  for (const part of parts) {
    if (part instanceof Sql) {
      takeApart(part, shape, values);
    } else {
      shape.push(undefined);
      values.push(prepareValue(part));
    }
  }
}

function isSame(left: Shape, right: Shape): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) {
    if (left[index] !== right[index]) return false;
  }
  return true;
}

function toText({ strings, values }: Sql, count: { bound: number }): string {
  let text = strings[0] ?? "";
  for (const [index, value] of values.entries()) {
    if (value instanceof Sql) {
      text += toText(value, count);
    } else {
      count.bound += 1;
      text += `$${count.bound}`;
    }
    text += strings[index + 1] ?? "";
  }
  return text;
}

/**
 * pg does this only after it has sent the statement's name for parsing. An object that cannot be
 * turned into text (a bigint inside) would then leave the connection with a name it believes in and
 * the server has forgotten, so it fails here, before the connection hears of it.
 */
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): WireValue } })
  .utils;

function nameOf(text: string): string {
  const known = namesByText.get(text);
  if (known !== undefined) return known;
  if (namesByText.size >= NAMES_KEPT_MAX) return "";
  const name = `q_${createHash("sha256").update(text).digest("base64url").slice(0, 20)}`;
  namesByText.set(text, name);
  return name;
}
