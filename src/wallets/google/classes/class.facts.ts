import { createHash } from "node:crypto";
import { isObject } from "#kernel/json.ts";
import type { JsonObject } from "#src/templates/language/public.ts";
import { valueAt } from "../api/api.content.ts";
import { GOOGLE_KINDS, type GoogleType } from "../google.kinds.ts";

/*
 * The facts of a class are the times, the place and the status of an event or journey, by the paths of their members.
 * They come from passes, and all passes of the class share them.
 */

export type Facts = Readonly<Record<string, unknown>>;
/** A fact that a pass does not have has no hash. */
export type FactHashes = Readonly<Record<string, string>>;

function pathsOfFacts(type: GoogleType): readonly string[] {
  const { announced = [], unannounced = [] } = GOOGLE_KINDS[type];
  return [...announced, ...unannounced];
}

export function factsOf(type: GoogleType, content: JsonObject): Facts {
  const facts = pathsOfFacts(type).map((path) => [path, valueAt(content, path)] as const);
  return Object.fromEntries(facts.filter(([, value]) => value !== undefined && value !== null));
}

/** The content with these facts in place of its own. The same facts make the same text of it, whatever it had before. */
export function withFacts(type: GoogleType, content: JsonObject, facts: Facts): JsonObject {
  const changed = structuredClone(content);
  const paths = pathsOfFacts(type).map((path) => ({ path, names: path.split(".") }));
  for (const { names } of paths) removeAt(changed, names);
  for (const { path, names } of paths) {
    if (facts[path] !== undefined) setAt(changed, names, sorted(facts[path]));
  }
  return changed;
}

/** An object that has nothing left goes as well. */
function removeAt(content: JsonObject, [name = "", ...rest]: readonly string[]): void {
  const inner = content[name];
  if (rest.length > 0 && isObject(inner)) {
    removeAt(inner, rest);
    if (Object.keys(inner).length > 0) return;
  }
  delete content[name];
}

function setAt(content: JsonObject, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    content[name] = value;
    return;
  }
  const inner = content[name];
  const parent = isObject(inner) ? inner : {};
  setAt(parent, rest, value);
  content[name] = parent;
}

export function hashesOf(facts: Facts): FactHashes {
  return Object.fromEntries(Object.entries(facts).map(([path, value]) => [path, hashOf(value)]));
}

export function hashOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(value)))
    .digest("base64url");
}

/** The database keeps no order of names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

/** Stands for those facts of whose changes holders are notified. */
export function announcedHash(type: GoogleType, facts: Facts): string {
  const { announced = [] } = GOOGLE_KINDS[type];
  return hashOf(Object.fromEntries(announced.map((path) => [path, facts[path] ?? null])));
}

/** What is known of the facts of a class. */
export type ClassFacts = {
  readonly facts: Facts;
  /** Where they come from, also those that were cleared, by their paths. */
  readonly sources: Readonly<Record<string, FactSource>>;
  /** Facts that were replaced or cleared: see `factName`. */
  readonly pastFacts: readonly string[];
};

export type FactSource = {
  readonly passId: string;
  /** Since when the pass has the fact: ISO 8601. */
  readonly since: string;
};

/** Names a fact with its value. */
export const factName = (path: string, hash: string | undefined): string =>
  `${path} ${hash ?? "none"}`;

export type PassFacts = {
  readonly passId: string;
  readonly facts: Facts;
  /** The hashes of those that the class last took from the pass; null if it took none. */
  readonly before: FactHashes | null;
  /** False if the pass is as it was then, so that what is new comes from the tenant's files. */
  readonly isChanged: boolean;
  /** Since when the pass has its facts. */
  readonly since: Date;
};

/** A late pass may bring facts of as many changes ago. */
const PAST_MAX = 100;

/** The facts of a class that differ from those of a pass, with their hashes. */
export function differingFacts(
  type: GoogleType,
  known: Pick<ClassFacts, "facts">,
  pass: PassFacts,
): { readonly path: string; readonly hash: string | undefined }[] {
  const [ofPass, ofClass] = [hashesOf(pass.facts), hashesOf(known.facts)];
  return pathsOfFacts(type)
    .filter((path) => ofPass[path] !== ofClass[path])
    .map((path) => ({ path, hash: ofClass[path] }));
}

/**
 * Takes from a pass what it changes. Undefined if that is nothing.
 *
 * - A pass that was changed brings what is new in it, and clears what it had before, unless another one was changed
 *   later.
 * - New files of the tenant, such as another name of the event, change a fact where the pass had that of the class.
 * - A pass of which the class took nothing so far brings what the class lacks, and what is newer than the facts of the
 *   class, but none that was replaced or cleared before: a late ticket does not turn a postponed event back. It clears
 *   nothing, because it may just know less than others.
 * - A fact that no pass has any more, because the one that brought it is gone, gives way to what any pass has: `orphans`
 *   are the names of such facts.
 */
export function mergeFacts(
  type: GoogleType,
  known: ClassFacts,
  pass: PassFacts,
  orphans: ReadonlySet<string> = new Set(),
): ClassFacts | undefined {
  const [ofPass, ofClass] = [hashesOf(pass.facts), hashesOf(known.facts)];
  const { before } = pass;
  const announced = new Set(GOOGLE_KINDS[type].announced);
  const past = new Set(known.pastFacts);
  const isPast = (path: string) => past.has(factName(path, ofPass[path]));
  const isOrphan = (path: string) => orphans.has(factName(path, ofClass[path]));
  const source = { passId: pass.passId, since: pass.since.toISOString() };
  const isLatest = (path: string) => source.since >= (known.sources[path]?.since ?? "");
  const isBrought = (path: string): boolean => {
    if (ofPass[path] === ofClass[path]) return false;
    if (isOrphan(path)) return true;
    if (before !== null) {
      if (before[path] === ofPass[path]) return false;
      return pass.isChanged ? isLatest(path) : before[path] === ofClass[path];
    }
    if (ofPass[path] === undefined || isPast(path)) return false;
    return ofClass[path] === undefined || isLatest(path);
  };
  const brought = pathsOfFacts(type).filter(isBrought);
  if (brought.length === 0) return undefined;
  const facts: Record<string, unknown> = { ...known.facts };
  const sources = { ...known.sources };
  for (const path of brought) {
    const isReplaced = ofClass[path] !== undefined && announced.has(path) && !isOrphan(path);
    if (isReplaced) past.add(factName(path, ofClass[path]));
    past.delete(factName(path, ofPass[path]));
    if (pass.facts[path] === undefined) delete facts[path];
    else facts[path] = pass.facts[path];
    sources[path] = source;
  }
  return { facts, sources, pastFacts: [...past].slice(-PAST_MAX) };
}
