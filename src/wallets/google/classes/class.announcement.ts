import type { JsonObject } from "#src/templates/language/public.ts";
import { contentHash, valueAt } from "../api/api.content.ts";
import { GOOGLE_KINDS, type GoogleType } from "../google.kinds.ts";

/** Google lets a pass notify its holder so often in 24 hours, by changes of its class, too. */
const NOTIFICATIONS_MAX = 3;
const DAY_MS = 86_400_000;

/**
 * Stands for the times, the place and the status of an event or flight: holders are notified when they change,
 * and of nothing else on a class. Null for types whose classes have nothing of the kind.
 */
export function announcedHash(type: GoogleType, content: JsonObject): string | null {
  const paths = GOOGLE_KINDS[type].announced ?? [];
  if (paths.length === 0) return null;
  return contentHash(
    Object.fromEntries(paths.map((path) => [path, valueAt(content, path) ?? null])),
  );
}

/** The content of a class, and the paths of its members, without times, place and status. */
export function withoutAnnounced(
  type: GoogleType,
  content: JsonObject,
  members: readonly string[],
): { readonly content: JsonObject; readonly members: readonly string[] } {
  const { announced = [], unannounced = [] } = GOOGLE_KINDS[type];
  // Whole members are left out: a `dateTime` without its start and end would clear them at Google.
  const names = new Set([...announced, ...unannounced].map(nameOf));
  const kept = Object.entries(content).filter(([name]) => !names.has(name));
  return {
    content: Object.fromEntries(kept),
    members: members.filter((path) => !names.has(nameOf(path))),
  };
}

const nameOf = (path: string) => path.split(".", 1)[0];

export type Announced = {
  readonly announcedHash: string | null;
  readonly notifiedAt: readonly Date[];
};

/** Whether the holders of its passes are notified of a change of the class. */
export function isAnnounced(
  hash: string | null,
  before: (Announced & { readonly sentAt: Date | null }) | undefined,
  now: Date,
): boolean {
  // No pass has a class that is new at Google.
  if (before === undefined || before.sentAt === null || before.announcedHash === null) return false;
  return before.announcedHash !== hash && recent(before, now).length < NOTIFICATIONS_MAX;
}

/** What a pass said of its event or journey when it was last sent, and since when. */
export type Said = {
  readonly announcedHash: string | null;
  readonly announcedAt: Date | null;
};

type OfPass = {
  readonly type: GoogleType;
  readonly content: JsonObject;
  readonly isShared: boolean;
  readonly announcesChanges: boolean;
  readonly announcedAt: Date | null;
  readonly announcedBefore: string | null;
};

/**
 * A class that is made from passes is announced unless the pass said the same time and place before: one that
 * merely gets another seat says since then what it says. A pass that is sent for the first time may be the one
 * that brings the new time of an event.
 */
export function announcedBy<Built extends OfPass>(built: Built, before: Said): Built {
  if (built.isShared) return built;
  const isSame =
    before.announcedHash !== null &&
    before.announcedHash === announcedHash(built.type, built.content);
  return {
    ...built,
    announcesChanges: built.announcesChanges && !isSame,
    announcedAt: (isSame ? before.announcedAt : null) ?? built.announcedAt,
    announcedBefore: before.announcedHash,
  };
}

/** The notifications that still count. */
export function recent(known: Announced | undefined, now: Date): readonly Date[] {
  return (known?.notifiedAt ?? []).filter((at) => at.getTime() > now.getTime() - DAY_MS);
}
