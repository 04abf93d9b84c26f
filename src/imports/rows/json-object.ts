import { parseStrictText } from "#kernel/http/json/strict-json.ts";
import { isObject } from "#kernel/json.ts";
import { ROW_CHARS_MAX } from "./limits.ts";
import type { BrokenRow, ObjectRow } from "./source-row.ts";

type Place = { readonly row: number; readonly line: number };

/** Far above what a pass can hold, and low enough that checking a row takes milliseconds at most. */
const LIMITS = {
  keys: 2_000,
  members: 1_000,
  values: 10_000,
  decimals: "all",
  subject: "This row",
} as const;

/** Reads the text of one row. */
export function readObject(text: string, place: Place): ObjectRow | BrokenRow {
  const parsed = parseStrictText(text, { ...LIMITS, firstLine: place.line });
  if (!parsed.ok) return broken(place, `This row is not valid JSON. ${parsed.problem}`);
  return isObject(parsed.value)
    ? { kind: "object", ...place, value: parsed.value }
    : broken(place, 'This row is no object. Write each row as { "name": value, … }.');
}

export function tooLong(place: Place): BrokenRow {
  return broken(place, `This row is longer than ${ROW_CHARS_MAX} characters.`);
}

function broken(place: Place, problem: string): BrokenRow {
  return { kind: "broken", ...place, problem };
}
