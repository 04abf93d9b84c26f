import type { TenantContext } from "#kernel/context.ts";
import { validationProblem } from "#kernel/errors.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import type { JsonObject } from "#src/templates/language/public.ts";
import { commonInput, type PublishedTemplate, templatesOf } from "#src/templates/public.ts";
import { configurationOf } from "#src/tenants/public.ts";
import { GoogleApi, type Upsert } from "../api/api.client.ts";
import { changeOf, pathsOf } from "../api/api.content.ts";
import {
  type GoogleFailure,
  type GoogleOutcome,
  type GoogleSuccess,
  isPassing,
} from "../api/api.outcome.ts";
import {
  announcesChanges,
  buildSharedClass,
  type GoogleIdentity,
  hasManyClasses,
} from "../google.content.ts";
import type { GoogleType } from "../google.kinds.ts";
import { problemOf } from "../google.problem.ts";
import { type GoogleAccount, googleAccountOf } from "../google-account.ts";
import { imageUrlsOf } from "../images/image.service.ts";
import { classHash } from "../outdated/local-times.ts";
import {
  announcedHash,
  isAnnounced,
  type SourcePass,
  withoutAnnounced,
} from "./class.announcement.ts";
import { googleClassByPasses, googleClassNotFound } from "./class.errors.ts";
import { confirmClass, findClass, isNewestClass, upsertClass } from "./class.repository.ts";
import { INCOMPLETE, isNewer, isRefused, timeOf } from "./class.rules.ts";
import type { GoogleClass } from "./class.schema.ts";

/** Somebody waits for the class, so Google has this long to take it. */
const WAIT_MS_MAX = 10_000;

export type BuiltClass = {
  readonly type: GoogleType;
  readonly classId: string;
  readonly passType: string;
  readonly content: JsonObject;
  readonly configurationVersion: number;
  /** The pass that it is made from; null if all passes of the type have this class. */
  readonly source: SourcePass | null;
  /** Whether the template asks for notifications of changes of a field. */
  readonly announcesChanges: boolean;
  /** Since when that pass has its times and place; null if the class does not take them from it. */
  readonly announcedAt: Date | null;
  /** The hash of the times and place that the pass had when it was last sent. */
  readonly announcedBefore: string | null;
};

export async function identityOf(
  context: TenantContext,
  { issuerId }: GoogleAccount,
  template: PublishedTemplate,
): Promise<GoogleIdentity> {
  return identityFor(context, issuerId, await imageUrlsOf(context, template));
}

export function identityFor(
  { tenantId, runtime }: TenantContext,
  issuerId: string,
  imageUrl: GoogleIdentity["imageUrl"],
): GoogleIdentity {
  return {
    issuerId,
    prefix: `${tenantId}.`,
    callbackUrl: `${runtime.baseUrl}/.well-known/wallet/${tenantId}/google/callback`,
    imageUrl,
  };
}

/**
 * The class that all passes of a template share, made of the template alone: it shows nothing of
 * any of them.
 */
export async function sharedClassOf(
  context: TenantContext,
  account: GoogleAccount,
  template: PublishedTemplate,
): Promise<BuiltClass> {
  const configuration = await configurationOf(context);
  const { passType } = template;
  return await configuration.derive(`google class ${account.issuerId} ${passType}`, async () => {
    const { tenant } = await templatesOf(context);
    const rendered = await template.render(commonInput(tenant));
    const identity = await identityOf(context, account, template);
    const { type, content } = buildSharedClass(template, rendered, identity);
    return {
      type,
      classId: String(content.id),
      passType,
      content,
      configurationVersion: configuration.version,
      source: null,
      announcedAt: null,
      announcedBefore: null,
      announcesChanges: announcesChanges(rendered),
    };
  });
}

const CONFIRMED_EACH_MS = 60_000;

const ensuringIn = perRuntime(() => new Map<string, Promise<GoogleFailure | undefined>>());

/**
 * Makes sure that Google has the class; undefined if it has. Many passes that need the same new
 * class at the same time share one request. They share also the question whether Google has the class:
 * a pass that asked before the request and goes on after it would send the class once more.
 */
export async function ensureClass(
  context: TenantContext,
  api: GoogleApi,
  built: BuiltClass,
): Promise<GoogleFailure | undefined> {
  const hash = classHash(built.type, built.content);
  const ensuring = ensuringIn(context.runtime);
  const name = `${context.tenantId} ${built.classId} ${built.configurationVersion} ${hash}`;
  let underWay = ensuring.get(name);
  if (underWay === undefined) {
    underWay = sendIfNeeded(context, api, built, hash).finally(() => ensuring.delete(name));
    ensuring.set(name, underWay);
  }
  return await underWay;
}

async function sendIfNeeded(
  context: TenantContext,
  api: GoogleApi,
  built: BuiltClass,
  hash: string,
): Promise<GoogleFailure | undefined> {
  const known = await findClass(context, built.classId);
  if (known === undefined) return (await sendClass(context, api, built, known)).failure;
  const ownAnnouncement = announcedHash(built.type, built.content);
  const announcedAt = hasTimesOf(known, built, ownAnnouncement)
    ? laterOf(known.announcedAt, built.announcedAt)
    : built.announcedAt;
  const dated = { ...built, announcedAt };
  if (!isCurrent(known, dated, hash)) {
    return (await sendClass(context, api, dated, known)).failure;
  }
  if (known.contentHash !== hash) return undefined;
  const { classId, configurationVersion } = built;
  const isConfirmed =
    known.configurationVersion >= configurationVersion &&
    (known.announcedHash !== null || ownAnnouncement === null) &&
    !isMuchLater(announcedAt, known.announcedAt);
  if (!isConfirmed) {
    const confirmed = { classId, contentHash: hash, configurationVersion, announcedAt };
    await context.transaction((tx) =>
      confirmClass(tx, { ...confirmed, announcedHash: ownAnnouncement }),
    );
  }
  return undefined;
}

/**
 * Whether the pass has the times and place of the class, or had them until newer files of the tenant gave the event
 * another name: then the pass brings that name.
 */
function hasTimesOf(
  known: GoogleClass,
  built: BuiltClass,
  ownAnnouncement: string | null,
): boolean {
  if (known.announcedHash === ownAnnouncement) return true;
  const { announcedBefore } = built;
  const hadThem = announcedBefore !== null && known.announcedHash === announcedBefore;
  return (
    hadThem &&
    (built.configurationVersion > known.configurationVersion || known.contentHash === INCOMPLETE)
  );
}

/** Thousands of tickets come to the same time one after the other: not each of them writes the row of its class. */
function isMuchLater(one: Date | null, other: Date | null): boolean {
  return timeOf({ announcedAt: one }) > timeOf({ announcedAt: other }) + CONFIRMED_EACH_MS;
}

function laterOf(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}

/** True for a pass that lacks times or a place that the class has: the class does not take its own. */
function lacksTimes({ source, announcedAt }: BuiltClass): boolean {
  return source !== null && announcedAt === null;
}

/**
 * A class never goes back: a process that does not know the newest files of the tenant yet would otherwise
 * send the old one again. One that belongs to an event or flight follows the pass whose times and place are the
 * latest: of a thousand tickets of a postponed event, those that still have the old time do not turn it back.
 */
function isCurrent(known: GoogleClass, built: BuiltClass, hash: string): boolean {
  if (isRefused(known)) return false;
  if (known.contentHash === hash || isNewer(known, built)) return true;
  if (lacksTimes(built)) return known.configurationVersion >= built.configurationVersion;
  const isOfFiles =
    built.source === null && known.configurationVersion === built.configurationVersion;
  return isOfFiles && known.contentHash !== INCOMPLETE;
}

type SentClass =
  | { readonly failure: undefined; readonly known: GoogleClass }
  | { readonly failure: GoogleFailure };

async function sendClass(
  context: TenantContext,
  api: GoogleApi,
  built: BuiltClass,
  before: GoogleClass | undefined,
): Promise<SentClass> {
  const { classId, passType, type, content } = built;
  const hash = announcedHash(type, content);
  const now = context.clock.now();
  const members = before?.members ?? [];
  const isPart = before !== undefined && sendsWithoutTimes(before, built, hash);
  const part = isPart ? withoutAnnounced(type, content, members) : { content, members };
  const announcedAt = isPart ? before.announcedAt : built.announcedAt;
  const isAnnouncing = !isPart && built.announcesChanges && isAnnounced(hash, before, now);
  const guarded = api.guarded(() => isNewestClass(context, { ...built, announcedAt }));
  const { outcome, hasNotified } = await upsertAnnounced(guarded, isAnnouncing, {
    resource: `${type}Class`,
    id: classId,
    content,
    change: changeOf(part.content, part.members),
    // A replacement would bring the whole.
    before: isPart ? [] : members,
    isNew: (before?.sentAt ?? null) === null,
  });
  const isDone = outcome.kind === "done";
  if (!isDone && outcome.isUnsent === true) return { failure: outcome };
  const known = await context.transaction((tx) => {
    const sent = { ...built, part: part.content, announcedAt, hash, isPart, before };
    const row = isDone ? rowOfSuccess(outcome, sent, tx.now) : rowOfFailure(outcome, sent);
    return upsertClass(tx, {
      ...{ classId, passType, googleType: type, ...row },
      notifiedAt: isDone && hasNotified ? [now] : [],
    });
  });
  return isDone ? { failure: undefined, known } : { failure: outcome };
}

type SentContent = Pick<BuiltClass, "type" | "content" | "configurationVersion" | "announcedAt"> & {
  /** What was sent of it. */
  readonly part: JsonObject;
  readonly hash: string | null;
  readonly isPart: boolean;
  readonly before: GoogleClass | undefined;
};
type ClassRow = Pick<
  GoogleClass,
  | "configurationVersion"
  | "contentHash"
  | "members"
  | "reviewStatus"
  | "problem"
  | "sentAt"
  | "announcedHash"
  | "announcedAt"
>;

function rowOfSuccess({ body }: GoogleSuccess, sent: SentContent, now: Date): ClassRow {
  const { type, content, configurationVersion, announcedAt, hash, isPart, before } = sent;
  const kept = isPart ? (before?.members ?? []) : [];
  return {
    configurationVersion,
    contentHash: isPart ? INCOMPLETE : classHash(type, content),
    members: [...new Set([...pathsOf(content), ...kept])],
    reviewStatus: typeof body.reviewStatus === "string" ? body.reviewStatus : null,
    problem: null,
    sentAt: now,
    announcedHash: isPart ? null : hash,
    announcedAt,
  };
}

/** After a failure that passes, Google may have either content: what is known stays, and is incomplete. */
function rowOfFailure(failure: GoogleFailure, sent: SentContent): ClassRow {
  const { type, content, part, before } = sent;
  const isUnknown = isPassing(failure);
  const { configurationVersion, announcedAt } = isUnknown && before !== undefined ? before : sent;
  const incomplete = before !== undefined && isRefused(before) ? before.contentHash : INCOMPLETE;
  const taken = isUnknown ? pathsOf(part) : [];
  return {
    ...{ configurationVersion, announcedAt },
    members: [...new Set([...(before?.members ?? []), ...taken])],
    contentHash: isUnknown ? incomplete : classHash(type, content),
    problem: failure.message,
    // Null keeps what the row has.
    ...{ reviewStatus: null, sentAt: null, announcedHash: null },
  };
}

/**
 * True for a pass that has the times or place of before, or lacks them, and comes with newer files of the tenant: it
 * brings what is new in the files, and leaves time and place as they are.
 */
function sendsWithoutTimes(known: GoogleClass, built: BuiltClass, hash: string | null): boolean {
  if (built.source === null || isRefused(known)) return false;
  if (lacksTimes(built)) return true;
  const differs = known.announcedHash !== null && known.announcedHash !== hash;
  return differs && timeOf(known) > timeOf(built);
}

/** Google may have notified the holder of other changes today: then it takes the change without. */
async function upsertAnnounced(
  api: GoogleApi,
  isAnnouncing: boolean,
  upsert: Upsert,
): Promise<{ readonly outcome: GoogleOutcome; readonly hasNotified: boolean }> {
  if (isAnnouncing) {
    const change = { ...upsert.change, notifyPreference: "NOTIFY_ON_UPDATE" };
    const outcome = await api.upsert({ ...upsert, change });
    const isQuota = outcome.kind === "quota" && outcome.isRateLimit !== true;
    if (!isQuota) return { outcome, hasNotified: true };
  }
  return { outcome: await api.upsert(upsert), hasNotified: false };
}

/** True if Google has the class, in whatever form. */
export async function isClassSent(context: TenantContext, classId: string): Promise<boolean> {
  const known = await findClass(context, classId);
  return known !== undefined && known.sentAt !== null;
}

export async function getClass(context: TenantContext, classId: string): Promise<GoogleClass> {
  const known = await findClass(context, classId);
  if (known === undefined) throw googleClassNotFound({ classId });
  return known;
}

/** Sends the class of a pass type now, whether or not it has changed. */
export async function syncClass(context: TenantContext, passType: string): Promise<GoogleClass> {
  const template = (await templatesOf(context)).templates.get(passType);
  if (template === undefined) {
    throw validationProblem({ passType: ["must be a type of this tenant"] });
  }
  if (hasManyClasses(template)) throw googleClassByPasses({ passType });
  const account = await googleAccountOf(context);
  const built = await sharedClassOf(context, account, template);
  const before = await findClass(context, built.classId);
  const api = new GoogleApi(context.runtime, account, AbortSignal.timeout(WAIT_MS_MAX));
  const sent = await sendClass(context, api, built, before);
  if (sent.failure !== undefined) throw problemOf(sent.failure);
  const { known } = sent;
  await context.transaction(async (tx) => tx.audit({ target: `google-class:${known.classId}` }));
  return known;
}
