import { RecentMap } from "#kernel/recent-map.ts";

export const PATTERN_LENGTH_MAX = 200;
export const PATTERNS_MAX = 50;

const ANY = "*";

type Pattern = {
  /** Literals, and `*` for exactly one segment. Without a last segment that ends with `*`. */
  readonly segments: readonly string[];
  /**
   * The text before the final `*`, which stands for any rest of the name: `cre` in `pass.cre*`, the
   * empty text in `pass.*`. Undefined for a pattern without a final `*`.
   */
  readonly prefix: string | undefined;
};

/** Describes the problem for the author of the pattern; undefined if the pattern is valid. */
export function patternProblem(text: string): string | undefined {
  if (text.length > PATTERN_LENGTH_MAX) {
    return `must not be longer than ${PATTERN_LENGTH_MAX} characters`;
  }
  // Checked before `toLowerCase`, which turns some letters of other alphabets into ASCII letters.
  if (!/^[A-Za-z0-9_.:*-]+$/.test(text)) {
    return "must consist of letters, digits, _ and -, separated by dots, and *";
  }
  const segments = segmentsOf(text);
  if (segments.includes("")) return "must not have an empty part before, after or between dots";
  const last = segments.length - 1;
  if (!segments.every((segment, place) => hasStarInPlace(segment, place === last))) {
    return "must have * as a whole part or as the last character of all";
  }
  return undefined;
}

function hasStarInPlace(segment: string, isLast: boolean): boolean {
  const place = segment.indexOf(ANY);
  return place === -1 || segment === ANY || (isLast && place === segment.length - 1);
}

/** Whether any of the patterns covers an event. Takes one step per segment of each pattern. */
export function compilePatterns(patterns: readonly string[]): (eventName: string) => boolean {
  const compiled = patterns.map(compile);
  return (eventName) => {
    const segments = segmentsOf(eventName);
    return compiled.some((pattern) => covers(pattern, segments));
  };
}

export type Subscription = { readonly id: string; readonly patterns: readonly string[] };

export type Matcher = {
  /** The ids of the subscriptions that an event is for, in the order of the subscriptions. */
  match(eventName: string): readonly string[];
  /** The number of lookups so far: with it tests measure work independently of the machine. */
  readonly lookups: number;
};

/** Patterns that differ only in their literals. One lookup serves all of them. */
type Shape = {
  readonly pattern: Pattern;
  /** The indexes of the subscriptions, by the literals of their patterns. */
  readonly holders: Map<string, Set<number>>;
  readonly prefixLengths: Set<number>;
};

/** Event names recur, so the result for most names is found here. */
const REMEMBERED_NAMES = 200;
const NOBODY: readonly string[] = [];

/**
 * Matches an event against many subscriptions at once. The number of subscriptions does not matter:
 * an event of three segments fits at most fifteen shapes. A tree of segments would need as few
 * steps, but also a node for every segment of a hostile tenant's patterns.
 */
export function createMatcher(subscriptions: readonly Subscription[]): Matcher {
  const shapes = indexShapes(subscriptions);
  const ids = subscriptions.map(({ id }) => id);
  const known = new RecentMap<readonly string[]>(REMEMBERED_NAMES);
  let lookups = 0;

  function find(eventName: string): readonly string[] {
    const segments = segmentsOf(eventName);
    const hits: Set<number>[] = [];
    for (const shape of shapes) {
      if (!fits(shape.pattern, segments.length)) continue;
      for (const key of keysOf(shape, segments)) {
        lookups += 1;
        const holders = shape.holders.get(key);
        if (holders !== undefined) hits.push(holders);
      }
    }
    return hits.length === 0 ? NOBODY : select(ids, hits);
  }

  return {
    match(eventName) {
      const remembered = known.get(eventName);
      if (remembered !== undefined) return remembered;
      const found = find(eventName);
      known.set(eventName, found);
      return found;
    },
    get lookups() {
      return lookups;
    },
  };
}

/** In the order of `ids`, each id once. Marks are three times as fast here as a sorted set. */
function select(ids: readonly string[], hits: readonly Set<number>[]): string[] {
  const marks = new Uint8Array(ids.length);
  for (const places of hits) for (const place of places) marks[place] = 1;
  return ids.filter((_id, place) => marks[place] === 1);
}

function indexShapes(subscriptions: readonly Subscription[]): Shape[] {
  const shapes = new Map<string, Shape>();
  for (const [place, { patterns }] of subscriptions.entries()) {
    for (const pattern of patterns.map(compile)) {
      const name = shapeName(pattern);
      const shape = shapes.get(name) ?? { pattern, holders: new Map(), prefixLengths: new Set() };
      shapes.set(name, shape);
      const { segments, prefix = "" } = pattern;
      shape.prefixLengths.add(prefix.length);
      const key = keyOf(pattern, segments, prefix);
      const holders = shape.holders.get(key) ?? new Set();
      shape.holders.set(key, holders.add(place));
    }
  }
  return [...shapes.values()];
}

/** `pass.*.cre*` has the shape `-*…`, `pass.*.created` has `-*-`. */
function shapeName({ segments, prefix }: Pattern): string {
  const places = segments.map((segment) => (segment === ANY ? ANY : "-"));
  return places.join("") + (prefix === undefined ? "" : "…");
}

function* keysOf({ pattern, prefixLengths }: Shape, segments: readonly string[]) {
  const next = pattern.prefix === undefined ? "" : (segments[pattern.segments.length] ?? "");
  for (const length of prefixLengths) {
    if (length <= next.length) yield keyOf(pattern, segments, next.slice(0, length));
  }
}

/** Joins the segments that are at the places of the pattern's literals. */
function keyOf({ segments: own }: Pattern, segments: readonly string[], prefix: string): string {
  let key = "";
  for (const [place, segment] of own.entries()) {
    if (segment !== ANY) key += `${segments[place]}.`;
  }
  return key + prefix;
}

function covers(pattern: Pattern, segments: readonly string[]): boolean {
  if (!fits(pattern, segments.length)) return false;
  const { segments: own, prefix = "" } = pattern;
  if (!(segments[own.length] ?? "").startsWith(prefix)) return false;
  return own.every((segment, place) => segment === ANY || segment === segments[place]);
}

function fits({ segments, prefix }: Pattern, count: number): boolean {
  return prefix === undefined ? count === segments.length : count > segments.length;
}

/**
 * Tests a pattern against names of event definitions, where `store.*.updated` stands for any store.
 * True if the pattern covers at least one such event.
 */
export function compileForNames(pattern: string): (definitionName: string) => boolean {
  const compiled = compile(pattern);
  const { segments: own, prefix = "" } = compiled;
  return (definitionName) => {
    const segments = segmentsOf(definitionName);
    if (!fits(compiled, segments.length)) return false;
    const next = segments[own.length] ?? "";
    if (next !== ANY && !next.startsWith(prefix)) return false;
    return own.every((segment, place) => {
      const other = segments[place];
      return segment === ANY || other === ANY || segment === other;
    });
  };
}

function compile(text: string): Pattern {
  const problem = patternProblem(text);
  if (problem !== undefined) throw new TypeError(`A pattern ${problem}.`);
  const segments = segmentsOf(text);
  const last = segments.at(-1) ?? "";
  if (!last.endsWith(ANY)) return { segments, prefix: undefined };
  return { segments: segments.slice(0, -1), prefix: last.slice(0, -1) };
}

/** Reads `:` as `.` and ignores case. */
function segmentsOf(text: string): string[] {
  return text.toLowerCase().replaceAll(":", ".").split(".");
}
