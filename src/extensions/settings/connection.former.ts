/** Values of before that hold for a while, such as the secret or the address that a vendor still uses. */

export type Former = { readonly value: string; readonly until: Date };

/** Whoever changes a value more often within a day loses the newest of those that nobody uses. */
const FORMER_MAX = 5;

/**
 * Those that hold at this time, the newest first. Each stands on a line of its own behind the time at
 * which it ends: behind a blank as it is, or, if it has line ends, behind a tab as a text of JSON.
 */
export function formerValues(text: string | undefined, now: Date): Former[] {
  if (text === undefined) return [];
  return text.split("\n").flatMap((line) => {
    const at = line.search(/[ \t]/);
    const until = new Date(line.slice(0, at));
    if (at <= 0 || !(until > now)) return [];
    const kept = line.slice(at + 1);
    return [{ value: line[at] === "\t" ? String(JSON.parse(kept)) : kept, until }];
  });
}

/** The text to keep. Each value once, with its latest end, and without the one that holds now. */
export function formerText(former: readonly Former[], current?: string): string {
  const isFirst = ({ value }: Former, at: number) =>
    former.findIndex((other) => other.value === value) === at;
  return former
    .filter(isFirst)
    .filter(({ value }) => value !== current)
    .slice(-FORMER_MAX)
    .map(({ value, until }) => `${until.toISOString()}${lineOf(value)}`)
    .join("\n");
}

function lineOf(value: string): string {
  return value.includes("\n") ? `\t${JSON.stringify(value)}` : ` ${value}`;
}
