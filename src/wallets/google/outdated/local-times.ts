import type { JsonObject } from "#src/templates/language/public.ts";
import { contentHash } from "../api/api.content.ts";
import type { GoogleType } from "../google.kinds.ts";

/**
 * Former releases sent UTC where Google expects the time on the clock of the place. Hashes of contents that may have
 * such times begin with this, so a content that a former release sent is recognised, also while it still runs.
 */
const LOCAL_TIMES = "local:";

const TIMED_CLASSES: readonly GoogleType[] = ["eventTicket", "flight"];

export function classHash(type: GoogleType, content: JsonObject): string {
  return hashOf(content, TIMED_CLASSES.includes(type));
}

export function objectHash(type: GoogleType, content: JsonObject): string {
  return hashOf(content, type === "transit" || content.validTimeInterval !== undefined);
}

function hashOf(content: JsonObject, hasTimes: boolean): string {
  const hash = contentHash(content);
  return hasTimes ? `${LOCAL_TIMES}${hash}` : hash;
}

/** True for a class that a former release sent last. */
export function lacksLocalTimes(known: {
  readonly googleType: GoogleType;
  readonly contentHash: string;
}): boolean {
  return TIMED_CLASSES.includes(known.googleType) && !known.contentHash.startsWith(LOCAL_TIMES);
}
