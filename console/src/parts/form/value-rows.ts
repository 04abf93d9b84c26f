import { getLanguage } from "../../words/language.ts";
import { words } from "./words.ts";

export type ValueKind = "text" | "number" | "truth" | "json" | "nothing";

/** One member of an object, as a person types it. */
export type ValueRow = {
  readonly key: string;
  readonly name: string;
  readonly kind: ValueKind;
  readonly text: string;
};

let count = 0;

export function newRow(row: Partial<Omit<ValueRow, "key">> = {}): ValueRow {
  count += 1;
  return { name: "", kind: "text", text: "", ...row, key: `row-${count}` };
}

/** The rows for an object that is there, each with the kind that its value has. */
export const rowsOf = (members: Readonly<Record<string, unknown>>): readonly ValueRow[] =>
  Object.entries(members).map(([name, value]) => newRow({ name, ...written(value) }));

function written(value: unknown): Pick<ValueRow, "kind" | "text"> {
  if (typeof value === "string") return { kind: "text", text: value };
  if (typeof value === "number") return { kind: "number", text: String(value) };
  if (typeof value === "boolean") return { kind: "truth", text: String(value) };
  return { kind: "json", text: JSON.stringify(value) };
}

/** The object that the rows say. Throws, in words for people, what cannot be read. */
export function readRows(rows: readonly ValueRow[]): Record<string, unknown> {
  return Object.fromEntries(
    rows.filter(({ name }) => name.trim() !== "").map((row) => [row.name.trim(), valueIn(row)]),
  );
}

function valueIn({ name, kind, text }: ValueRow): unknown {
  const w = words[getLanguage()];
  if (kind === "nothing") return null;
  if (kind === "truth") return text === "true";
  if (kind === "number") {
    const value = Number(text.trim().replace(",", "."));
    if (text.trim() === "" || !Number.isFinite(value)) throw new Error(w.badNumber(name));
    return value;
  }
  if (kind === "json") {
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(w.badJson(name));
    }
  }
  return text;
}

/**
 * What differs from the object as it is: members that were removed from the rows become null, which
 * deletes them.
 */
export function changeOf(
  before: Readonly<Record<string, unknown>>,
  rows: readonly ValueRow[],
): Record<string, unknown> {
  const after = readRows(rows);
  const change: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const value = after[name] ?? null;
    if (JSON.stringify(before[name] ?? null) !== JSON.stringify(value)) change[name] = value;
  }
  return change;
}
