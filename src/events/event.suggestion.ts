import { compileForNames } from "./event.pattern.ts";

/** No event name is longer, so later characters of a pattern cannot make it more similar. */
const COMPARED_CHARACTERS_MAX = 40;

/** Two errors are allowed in every pattern; in longer patterns one error for every four letters. */
const ERRORS_MIN = 2;
const LETTERS_PER_ERROR = 4;

const DOT = ".".charCodeAt(0);
const ANY = "*".charCodeAt(0);

export type UnmatchedPattern = {
  readonly pattern: string;
  /** The event name with the fewest typing errors; null if even that name has too many. */
  readonly nearest: string | null;
};

/** Finds the patterns that cover none of the existing events. Most of them are mistyped. */
export function findUnmatched(
  patterns: readonly string[],
  eventNames: readonly string[],
): UnmatchedPattern[] {
  const sorted = [...eventNames].sort();
  return patterns
    .filter((pattern) => !sorted.some(compileForNames(pattern)))
    .map((pattern) => ({ pattern, nearest: nearestOf(pattern, sorted) }));
}

function nearestOf(pattern: string, names: readonly string[]): string | null {
  const text = pattern.toLowerCase().replaceAll(":", ".").slice(0, COMPARED_CHARACTERS_MAX);
  // With more errors the names are unrelated, and a suggestion would mislead.
  const errorsMax = Math.max(ERRORS_MIN, Math.floor(text.length / LETTERS_PER_ERROR));
  let [nearest, least]: [string | null, number] = [null, errorsMax + 1];
  for (const name of names) {
    const errors = countErrors(text, name, least);
    if (errors < least) [nearest, least] = [name, errors];
  }
  // For a pattern that is only the first part of a name, such as `pass`.
  return nearest ?? names.find((name) => name.startsWith(`${text}.`)) ?? null;
}

/**
 * The edit distance (Levenshtein), or a number that is not below the bound. A `*` on either side
 * stands for anything up to the next dot; the final `*` of the pattern stands for any rest.
 */
function countErrors(pattern: string, name: string, bound: number): number {
  const isOpen = pattern.endsWith("*");
  const length = isOpen ? pattern.length - 1 : pattern.length;
  // The errors of the pattern so far, compared with each beginning of the name.
  let row = Uint16Array.from({ length: name.length + 1 }, (_none, at) => at);
  let next = new Uint16Array(name.length + 1);
  for (let at = 0; at < length; at += 1) {
    fillNextRow(row, next, pattern.charCodeAt(at), name);
    // The numbers of later rows cannot become smaller, so the loop can end here.
    if (next.every((errors) => errors >= bound)) return bound;
    [row, next] = [next, row];
  }
  return isOpen ? Math.min(...row) : (row[name.length] ?? 0);
}

/** Compares character codes, because comparing strings took 400 ms for one hostile webhook. */
function fillNextRow(row: Uint16Array, next: Uint16Array, letter: number, name: string): void {
  next[0] = (row[0] ?? 0) + 1;
  for (let place = 1; place < row.length; place += 1) {
    const other = name.charCodeAt(place - 1);
    const changed = (row[place - 1] ?? 0) + (letter === other ? 0 : 1);
    const withoutLetter = (row[place] ?? 0) + (other === ANY && letter !== DOT ? 0 : 1);
    const withoutOther = (next[place - 1] ?? 0) + (letter === ANY && other !== DOT ? 0 : 1);
    next[place] = Math.min(changed, withoutLetter, withoutOther);
  }
}
