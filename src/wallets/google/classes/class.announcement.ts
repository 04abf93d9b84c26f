import type { JsonObject } from "#src/templates/language/public.ts";
import { contentHash } from "../api/api.content.ts";
import { GOOGLE_KINDS, type GoogleType } from "../google.kinds.ts";

/** Google lets a pass notify its holder so often in 24 hours, by changes of its class, too. */
const NOTIFICATIONS_MAX = 3;
const DAY_MS = 86_400_000;

/**
 * Stands for the times, the place and the status of an event or flight: holders are told when they change, and
 * of nothing else on a class. Null for types whose classes have nothing of the kind.
 */
export function announcedHash(type: GoogleType, content: JsonObject): string | null {
  const names = GOOGLE_KINDS[type].announced ?? [];
  if (names.length === 0) return null;
  return contentHash(Object.fromEntries(names.map((name) => [name, content[name] ?? null])));
}

export type Announced = {
  readonly announcedHash: string | null;
  readonly notifiedAt: readonly Date[];
};

/** Whether the holders of its passes are told of a change of the class. */
export function isAnnounced(
  hash: string | null,
  before: (Announced & { readonly sentAt: Date | null }) | undefined,
  now: Date,
): boolean {
  // A class that is new at Google changes nothing for anybody.
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
};

/**
 * A class that is made from passes is announced only if the pass itself says another time or place than before.
 * Passes of a class may differ, as by a time of boarding for each group: each that is saved, or gets another
 * seat, is no news to the others, and says what it said before, since then.
 */
export function announcedBy<Built extends OfPass>(built: Built, before: Said): Built {
  if (built.isShared) return built;
  const isKnown = before.announcedHash !== null;
  const isSame = isKnown && before.announcedHash === announcedHash(built.type, built.content);
  const isNews = isKnown && !isSame;
  return {
    ...built,
    announcesChanges: built.announcesChanges && isNews,
    announcedAt: (isSame ? before.announcedAt : null) ?? built.announcedAt,
  };
}

/** The notifications that still count. */
export function recent(known: Announced | undefined, now: Date): readonly Date[] {
  return (known?.notifiedAt ?? []).filter((at) => at.getTime() > now.getTime() - DAY_MS);
}
