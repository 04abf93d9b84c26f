import { compileForNames } from "./event.pattern.ts";

/** No name of an event is longer: what comes after this makes no pattern nearer to one. */
const COMPARED_CHARACTERS_MAX = 40;

/** So many letters may be wrong in any pattern, and one in so many of a longer one. */
const ERRORS_MIN = 2;
const LETTERS_PER_ERROR = 4;

const DOT = ".".charCodeAt(0);
const ANY = "*".charCodeAt(0);

export type UnmatchedPattern = {
  readonly pattern: string;
  /** The event whose name takes the fewest typing errors to become this pattern; null where it takes too many. */
  readonly nearest: string | null;
};

/** The patterns that cover none of the events there are: most likely mistyped. */
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
  // Beyond this the names have nothing to do with each other, and a guess would only mislead.
  const errorsMax = Math.max(ERRORS_MIN, Math.floor(text.length / LETTERS_PER_ERROR));
  let [nearest, least]: [string | null, number] = [null, errorsMax + 1];
  for (const name of names) {
    const errors = countErrors(text, name, least);
    if (errors < least) [nearest, least] = [name, errors];
  }
  // Only the beginning was written: `pass`, as some products name all events of a kind.
  return nearest ?? names.find((name) => name.startsWith(`${text}.`)) ?? null;
}

/**
 * The edit distance (Levenshtein), or some number that is not below the bound. A `*` of either side
 * stands for anything up to the next dot, the final one of the pattern for any rest.
 */
function countErrors(pattern: string, name: string, bound: number): number {
  const isOpen = pattern.endsWith("*");
  const length = isOpen ? pattern.length - 1 : pattern.length;
  // The errors of the pattern up to here, against each beginning of the name.
  let row = Uint16Array.from({ length: name.length + 1 }, (_none, at) => at);
  let next = new Uint16Array(name.length + 1);
  for (let at = 0; at < length; at += 1) {
    fillNextRow(row, next, pattern.charCodeAt(at), name);
    // Errors do not become fewer on the way.
    if (next.every((errors) => errors >= bound)) return bound;
    [row, next] = [next, row];
  }
  return isOpen ? Math.min(...row) : (row[name.length] ?? 0);
}

/** By numbers: with letters as strings, the patterns of one hostile webhook took 400 ms. */
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
