export type Format = "csv" | "json" | "ndjson";

/** So much white space before the first character decides for the name. */
const START_CHARS_MAX = 65_536;

/**
 * The format of a file: by what it begins with, or by its name where the beginning fits several.
 * Undefined if that takes more of its text.
 */
export function formatOf(start: string, isWhole: boolean, fileName: string): Format | undefined {
  const first = skipSpace(start, 0);
  const second = skipSpace(start, first + 1);
  const isEnough = isWhole || start.length >= START_CHARS_MAX;
  if (second >= Math.min(start.length, START_CHARS_MAX)) {
    return isEnough ? byName(fileName) : undefined;
  }
  const pair = `${start[first]}${start[second]}`;
  if (pair === "[{" || pair === "[]") return "json";
  if (pair === '{"' || pair === "{}") return "ndjson";
  return byName(fileName);
}

function byName(fileName: string): Format {
  if (/\.json$/i.test(fileName)) return "json";
  return /\.(ndjson|jsonl)$/i.test(fileName) ? "ndjson" : "csv";
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at] ?? "")) at += 1;
  return at;
}
