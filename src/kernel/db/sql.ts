import { createHash } from "node:crypto";
import { prepareValue, type WireValue } from "./pg-inside.ts";

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

export type Statement = {
  readonly text: string;
  readonly name: string;
  readonly values: WireValue[];
};

/** The templates that a statement is made of, in order, with undefined for each bound value. */
type Shape = readonly (readonly string[] | undefined)[];
type Compiled = { readonly shape: Shape; readonly text: string; readonly name: string };

// A template literal in the source is always the same array, so the text and its hash are computed
// once for each combination of templates, not for each call.
const compiledByTemplate = new WeakMap<readonly string[], Compiled>();
const namesByText = new Map<string, string>();
const NAMES_KEPT_MAX = 5_000;

/**
 * Marks a statement whose text depends on the request, such as one with filters. A named statement
 * stays on every connection for ever, and any caller could create thousands of them.
 */
function unnamed<Row>(piece: Sql<Row>): Sql<Row> {
  return Object.assign(new Sql<Row>(piece.strings, piece.values), { isUnnamed: true });
}

function sqlTag<Row = unknown>(strings: TemplateStringsArray, ...values: unknown[]): Sql<Row> {
  return new Sql<Row>(strings, values);
}

/** Inserts text as it is. For column and table names from our own source only. */
function raw(text: string): Sql {
  return new Sql([text], []);
}

function join(parts: readonly Sql[], separator: string): Sql {
  if (parts.length === 0) return raw("");
  return new Sql(["", ...Array<string>(parts.length - 1).fill(separator), ""], parts);
}

export const sql = Object.assign(sqlTag, { raw, join, unnamed });

/**
 * Derives a statement's name from its text, so that every connection parses and plans it only once.
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

function nameOf(text: string): string {
  const known = namesByText.get(text);
  if (known !== undefined) return known;
  if (namesByText.size >= NAMES_KEPT_MAX) return "";
  const name = `q_${createHash("sha256").update(text).digest("base64url").slice(0, 20)}`;
  namesByText.set(text, name);
  return name;
}
