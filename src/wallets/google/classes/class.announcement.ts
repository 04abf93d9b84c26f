import { isObject } from "#kernel/json.ts";
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

/** What Google has of a pass, as far as its event or journey is concerned. */
export type LastAnnouncement = {
  readonly announcedHash: string | null;
  readonly announcedAt: Date | null;
  /** Null for a pass that Google does not have. */
  readonly contentHash: string | null;
  readonly passVersion: number | null;
};

/** The facts of a pass from which its class is made. */
export type SourcePass = {
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

type OwnClass = {
  readonly type: GoogleType;
  readonly content: JsonObject;
  /** Null for a class that all passes of a type share. */
  readonly source: SourcePass | null;
  readonly announcesChanges: boolean;
  readonly announcedAt: Date | null;
  readonly announcedBefore: string | null;
};

/**
 * A class that is made from passes, with the time since when the pass has its times and place: of two passes that
 * differ, the later one is right. A pass that has the same as before has it since then, and announces nothing. Where
 * it merely has newer files of the tenant, it has its times since then as well. `membersAtGoogle` are those of the
 * class.
 */
export function withAnnouncement<Built extends OwnClass>(
  built: Built,
  last: LastAnnouncement,
  membersAtGoogle: readonly string[],
): Built {
  if (built.source === null) return built;
  const { source, type, content } = built;
  const isSame = last.announcedHash !== null && last.announcedHash === announcedHash(type, content);
  return {
    ...built,
    announcesChanges: built.announcesChanges && !isSame,
    announcedAt: isSame ? last.announcedAt : sinceWhen(built, source, last, membersAtGoogle),
    announcedBefore: last.announcedHash,
  };
}

function sinceWhen(
  { type, content }: Pick<OwnClass, "type" | "content">,
  source: SourcePass,
  last: LastAnnouncement,
  membersAtGoogle: readonly string[],
): Date | null {
  if (last.announcedHash !== null) {
    return source.version === last.passVersion ? last.announcedAt : source.updatedAt;
  }
  // A former release has sent it, and did not note what it said.
  if (last.contentHash !== null) return source.updatedAt;
  // A new ticket may be the first one with the new time of its event. One that was changed since it was made may have
  // got another seat only. One that lacks what the class has, such as the gate or a delay, knows less than others.
  return lacksAnnounced(type, content, membersAtGoogle) ? null : source.createdAt;
}

function lacksAnnounced(
  type: GoogleType,
  content: JsonObject,
  membersAtGoogle: readonly string[],
): boolean {
  const { announced = [] } = GOOGLE_KINDS[type];
  return membersAtGoogle
    .filter((path) => announced.some((name) => path === name || path.startsWith(`${name}.`)))
    .some((path) => isMissing(valueAt(content, path)));
}

const isMissing = (value: unknown) =>
  value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0);

/** The notifications that still count. */
export function recent(known: Announced, now: Date): readonly Date[] {
  return known.notifiedAt.filter((at) => at > recentAfter(now));
}

export function recentAfter(now: Date): Date {
  return new Date(now.getTime() - DAY_MS);
}
