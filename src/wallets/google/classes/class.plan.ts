import type { JsonObject } from "#src/templates/language/public.ts";
import type { GoogleType } from "../google.kinds.ts";
import { classHash, lacksLocalTimes } from "../outdated/local-times.ts";
import {
  type ClassFacts,
  type FactHashes,
  factsOf,
  hashesOf,
  hashOf,
  mergeFacts,
  type PassFacts,
  withFacts,
} from "./class.facts.ts";
import type { GoogleClass } from "./class.schema.ts";

/* What is to be sent of a class, by what is known of it and by the pass that needs it. */

export type BuiltClass = {
  readonly type: GoogleType;
  readonly classId: string;
  readonly passType: string;
  readonly content: JsonObject;
  readonly configurationVersion: number;
  /** Whether the template asks for notifications of changes of a field. */
  readonly announcesChanges: boolean;
  /** The pass that it is made from; null if all passes of the type have this class. */
  readonly source: SourcePass | null;
};

export type SourcePass = {
  readonly id: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** The facts that were last taken from a pass. */
export type TakenFacts = {
  readonly classId: string;
  readonly hashes: FactHashes;
  /** Since when the pass has them, as a text. */
  readonly since: string;
  /** The version of the pass. */
  readonly version: number;
};

/** What is known of the pass at Google. */
export type KnownPass = {
  readonly taken: TakenFacts | null;
  readonly isAtGoogle: boolean;
};

/** The facts of a pass with what was taken from it; null for a class that all passes share. */
export function passFactsOf(
  { type, classId, content, source }: BuiltClass,
  { taken, isAtGoogle }: KnownPass,
): PassFacts | null {
  if (source === null) return null;
  const facts = factsOf(type, content);
  const isChanged = taken?.version !== source.version;
  const isSame = taken !== null && hashOf(taken.hashes) === hashOf(hashesOf(facts));
  const before = taken?.classId === classId ? taken.hashes : null;
  if (taken !== null && (isSame || !isChanged)) {
    return { passId: source.id, facts, before, isChanged, since: new Date(taken.since) };
  }
  // One that Google gets for the first time may have been changed in other things since it was made.
  const since = taken !== null || isAtGoogle ? source.updatedAt : source.createdAt;
  return { passId: source.id, facts, before, isChanged, since };
}

export function takenFrom(
  { type, classId, content, source }: BuiltClass,
  pass: PassFacts | null,
): TakenFacts | null {
  if (source === null || pass === null) return null;
  const hashes = hashesOf(factsOf(type, content));
  return { classId, hashes, since: pass.since.toISOString(), version: source.version };
}

/** Stands in place of the hash of a content that Google may not have as a whole. */
export const INCOMPLETE = "";
/** The same, of a class of which no pass is at Google that could bring it. */
export const NO_PASS = "no-pass";

/** True if Google accepts no such content, or never had the class; not after a failure that passes. */
export function isRefused({ sentAt, problem, contentHash }: GoogleClass): boolean {
  return sentAt === null || (problem !== null && contentHash !== INCOMPLETE);
}

export type ClassPlan = {
  readonly content: JsonObject;
  readonly hash: string;
  /** Of the class when Google has the content. */
  readonly facts: ClassFacts;
  /**
   * - `older`: newer files of the tenant were published, and this process has to read them first;
   * - `refused`: Google did not take the same content by the same files.
   */
  readonly isNeeded: "yes" | "no" | "older" | "refused";
};

const NOTHING: ClassFacts = { facts: {}, sources: {}, pastFacts: [] };

export function planClass(
  known: GoogleClass | undefined,
  built: BuiltClass,
  pass: PassFacts | null,
  orphans: ReadonlySet<string> = new Set(),
): ClassPlan {
  const { type } = built;
  const before: ClassFacts =
    known === undefined ? NOTHING : { ...known, facts: known.facts ?? NOTHING.facts };
  const own = { ...NOTHING, facts: factsOf(type, built.content) };
  const merged = pass === null ? undefined : mergeFacts(type, before, pass, orphans);
  const facts = pass === null ? own : (merged ?? before);
  const content = withFacts(type, built.content, facts.facts);
  const plan = { content, hash: classHash(type, content), facts };
  const isOfChange = pass !== null && (merged !== undefined || pass.isChanged);
  return { ...plan, isNeeded: isNeeded(known, { ...built, hash: plan.hash, isOfChange }) };
}

/**
 * A class never goes back to older files of the tenant: a process that does not know the newest ones yet would
 * otherwise send the old ones again. By the same files, passes may make different classes where a layout shows their
 * data: then the one that was changed last counts.
 */
function isNeeded(
  known: GoogleClass | undefined,
  {
    configurationVersion,
    hash,
    isOfChange,
  }: Pick<BuiltClass, "configurationVersion"> & {
    readonly hash: string;
    readonly isOfChange: boolean;
  },
): ClassPlan["isNeeded"] {
  if (known === undefined) return "yes";
  const versions = configurationVersion - known.configurationVersion;
  if (versions < 0) return isRefused(known) || isOfChange ? "older" : "no";
  const isSame = known.contentHash === hash;
  if (isRefused(known))
    return isSame && known.problem !== null && versions === 0 ? "refused" : "yes";
  if (isSame) return "no";
  if (versions > 0 || isOfChange || isIncomplete(known)) return "yes";
  return "no";
}

function isIncomplete(known: GoogleClass): boolean {
  const { contentHash } = known;
  return contentHash === INCOMPLETE || contentHash === NO_PASS || lacksLocalTimes(known);
}
