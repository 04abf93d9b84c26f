import type { GoogleClass } from "./class.schema.ts";

/* Which content of a class is right: that of newer files of the tenant, and of the pass whose times are the latest. */

/** Stands in place of the hash of a content that Google may not have as a whole. */
export const INCOMPLETE = "";

/** Where a content comes from: a version of the tenant's files, and a pass with its times since then. */
export type Origin = Pick<GoogleClass, "configurationVersion" | "announcedAt">;

/** True if Google accepts no such content, or never had the class; not after a failure that passes. */
export function isRefused({ sentAt, problem, contentHash }: GoogleClass): boolean {
  return sentAt === null || (problem !== null && contentHash !== INCOMPLETE);
}

/** Whether the known class has newer files than another content, or the same files and later times. */
export function isNewer(known: GoogleClass, other: Origin): boolean {
  const versions = known.configurationVersion - other.configurationVersion;
  if (versions !== 0) return versions > 0;
  // A content that Google refused gives way to that of any pass.
  return !isRefused(known) && timeOf(known) > timeOf(other);
}

export function timeOf({ announcedAt }: Pick<Origin, "announcedAt">): number {
  return announcedAt?.getTime() ?? 0;
}
