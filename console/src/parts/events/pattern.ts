/*
 * What a pattern of events covers, as the API reads it: `src/events/event.pattern.ts`. A test holds both
 * to the same answers.
 */

const ANY = "*";

/** Reads `:` as `.` and ignores case. */
const segmentsOf = (text: string): string[] => text.toLowerCase().replaceAll(":", ".").split(".");

/** Whether a pattern covers an event of the catalogue, where `store.*.updated` stands for any store. */
export function covers(pattern: string, name: string): boolean {
  const [own, other] = [segmentsOf(pattern), segmentsOf(name)];
  const last = own.at(-1) ?? "";
  const isOpen = last.endsWith(ANY);
  if (isOpen ? other.length < own.length : other.length !== own.length) return false;
  return own.every((segment, at) => {
    const met = other[at] ?? "";
    if (isOpen && at === own.length - 1) return met === ANY || met.startsWith(segment.slice(0, -1));
    return segment === ANY || met === ANY || segment === met;
  });
}

/** Whether a pattern covers all that another one covers: a word that no event has stands for any word. */
export const coversPattern = (pattern: string, other: string): boolean =>
  covers(pattern, other.replaceAll(ANY, "-"));

export const coversAny = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => covers(pattern, name));

/** The beginnings of names that a pattern can cover: `pass.` for `pass.*`, `store.` for `store.*.updated`. */
export const beginningOf = (pattern: string): string =>
  pattern.toLowerCase().replaceAll(":", ".").split(ANY)[0] ?? "";
