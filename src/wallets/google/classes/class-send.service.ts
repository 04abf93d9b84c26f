import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { TenantContext } from "#kernel/context.ts";
import type { GoogleApi, Upsert } from "../api/api.client.ts";
import { changeOf, pathsOf } from "../api/api.content.ts";
import { type GoogleFailure, type GoogleOutcome, isPassing } from "../api/api.outcome.ts";
import { TIMEOUT_MS } from "../api/api-exchange.client.ts";
import { announcedHash } from "./class.facts.ts";
import { countedSince, NOTIFICATIONS_MAX } from "./class.notices.ts";
import { type BuiltClass, type ClassPlan, INCOMPLETE } from "./class.plan.ts";
import {
  claimClass,
  lockClass,
  type RecordedClass,
  recordClass,
  renewClass,
  restoreClass,
} from "./class.repository.ts";
import type { GoogleClass } from "./class.schema.ts";

export type ClassSending = {
  readonly context: TenantContext;
  readonly api: GoogleApi;
  readonly built: BuiltClass;
  /** What there is to send, by what is known of the class now. */
  plan(known: GoogleClass): ClassPlan;
  /** Written in one transaction with the success. */
  recordWith: Parameters<TenantContext["transaction"]>[0] | undefined;
  /** False where holders are not to be notified, whatever changes. */
  mayAnnounce(known: GoogleClass): boolean;
};

/** If this process dies meanwhile, another one sends the class after so long. */
const CLAIM_SECONDS = 2 * (TIMEOUT_MS / 1_000);
const WAIT_MS = 100;
const WAITS_MAX = 20;

const SENT_BY_OTHER: GoogleFailure = {
  kind: "unavailable",
  message: "Another process sends the class.",
  isUnsent: true,
};

/** Of the content that Google refused before. */
export function refusalOf(known: GoogleClass | undefined): GoogleFailure {
  return { kind: "refused", message: known?.problem ?? "Google refused the class." };
}

const OLDER_FILES: GoogleFailure = {
  kind: "unavailable",
  message: "Newer files of the tenant were published.",
  isUnsent: true,
};

/**
 * Sends the class, if there is anything to send of it when no other process sends it. One process at a time does, so
 * Google keeps no older content than is known here. Undefined if Google has it.
 */
export async function sendClass(sending: ClassSending): Promise<GoogleFailure | undefined> {
  for (let waits = 0; waits < WAITS_MAX; waits += 1) {
    const claimed = await claim(sending);
    if (claimed === "done") return undefined;
    if (claimed !== "taken") {
      return "kind" in claimed ? claimed : await sendClaimed(sending, claimed);
    }
    if (sending.api.signal.aborted) break;
    await sleep(WAIT_MS);
  }
  return SENT_BY_OTHER;
}

type Claimed = { readonly token: string; readonly known: GoogleClass; readonly plan: ClassPlan };

/**
 * What Google may have from now on is noted with the claim, because its answer may be lost: until that comes, the
 * content counts as incomplete.
 */
async function claim({
  context,
  built,
  plan,
}: ClassSending): Promise<Claimed | GoogleFailure | "done" | "taken"> {
  const { classId, passType, type, configurationVersion } = built;
  const token = randomUUID();
  return await context.transaction(async (tx) => {
    const row = { classId, passType, googleType: type, configurationVersion };
    const { known, isClaimed } = await lockClass(tx, row);
    const planned = plan(known);
    if (planned.isNeeded === "no") return "done";
    if (planned.isNeeded === "older") return OLDER_FILES;
    if (planned.isNeeded === "refused") return refusalOf(known);
    if (isClaimed) return "taken";
    const members = [...new Set([...known.members, ...pathsOf(planned.content)])];
    await claimClass(tx, classId, { token, seconds: CLAIM_SECONDS, members });
    return { token, known, plan: planned };
  });
}

async function sendClaimed(
  sending: ClassSending,
  { token, known, plan }: Claimed,
): Promise<GoogleFailure | undefined> {
  const { context, built, recordWith } = sending;
  const { classId } = built;
  const { outcome, notifiedAt } = await sendContent(sending, { token, known, plan });
  const failure = failureOf(sending, outcome);
  if (failure?.isUnsent === true) {
    await context.transaction((tx) => restoreClass(tx, token, known));
    return failure;
  }
  const row =
    failure === undefined
      ? rowOfSuccess(outcome, built, { plan, known, now: context.clock.now() })
      : rowOfFailure(failure, built, plan, known);
  const isRecorded = await context.transaction(async (tx) => {
    const recorded = await recordClass(tx, classId, token, { ...row, notifiedAt });
    if (recorded && failure === undefined) await recordWith?.(tx);
    return recorded;
  });
  return failure ?? (isRecorded ? undefined : SENT_BY_OTHER);
}

/** Undefined also if Google has taken the change, and only lets no members be taken away. */
function failureOf(
  { context, built: { classId } }: ClassSending,
  outcome: GoogleOutcome,
): GoogleFailure | undefined {
  if (outcome.kind === "done") return undefined;
  if (outcome.isPartlyDone !== true || isPassing(outcome)) return outcome;
  const { tenantId, log } = context;
  log.warn({ tenantId, classId }, "Google lets no members of a class be taken away");
  return undefined;
}

async function sendContent(
  { context, api, built, mayAnnounce }: ClassSending,
  { token, known, plan }: Claimed,
): Promise<{ readonly outcome: GoogleOutcome; readonly notifiedAt: Date | null }> {
  const { type, classId } = built;
  const { content, facts } = plan;
  const { members, sentAt } = known;
  const now = context.clock.now();
  const guarded = api.guarded(() =>
    context.transaction((tx) => renewClass(tx, classId, token, CLAIM_SECONDS)),
  );
  const isAnnouncing =
    mayAnnounce(known) &&
    built.announcesChanges &&
    // No pass has a class that is new at Google, and what a former release sent is not known.
    sentAt !== null &&
    known.facts !== null &&
    announcedHash(type, known.facts) !== announcedHash(type, facts.facts) &&
    known.notifiedAt.filter((at) => at > countedSince(now)).length < NOTIFICATIONS_MAX;
  const upsert: Upsert = {
    resource: `${type}Class`,
    id: classId,
    content,
    change: changeOf(content, members),
    before: members,
    isNew: sentAt === null,
  };
  if (isAnnouncing) {
    const change = { ...upsert.change, notifyPreference: "NOTIFY_ON_UPDATE" };
    const outcome = await guarded.upsert({ ...upsert, change });
    // Google may have notified the holder of other changes today: then it takes the change without.
    const isQuota = outcome.kind === "quota" && outcome.isRateLimit !== true;
    const isTaken = outcome.kind === "done" || outcome.isPartlyDone === true;
    if (!isQuota || isTaken) return { outcome, notifiedAt: isTaken ? now : null };
  }
  return { outcome: await guarded.upsert(upsert), notifiedAt: null };
}

type Row = Omit<RecordedClass, "notifiedAt">;

type Sent = {
  readonly plan: ClassPlan;
  readonly known: GoogleClass;
  readonly now: Date;
};

function rowOfSuccess(
  outcome: GoogleOutcome,
  { configurationVersion }: BuiltClass,
  { plan: { content, hash, facts }, known, now }: Sent,
): Row {
  const { reviewStatus = null } = outcome.kind === "done" ? outcome.body : {};
  // Those that Google keeps are taken away again with the next change.
  const kept = outcome.kind === "done" ? [] : known.members;
  return {
    ...{ configurationVersion, facts },
    contentHash: hash,
    members: [...new Set([...pathsOf(content), ...kept])],
    reviewStatus: typeof reviewStatus === "string" ? reviewStatus : null,
    problem: null,
    sentAt: now,
  };
}

/** After a failure that passes, Google may have either content. After another one, it has that of before. */
function rowOfFailure(
  failure: GoogleFailure,
  { configurationVersion }: BuiltClass,
  { content, hash }: ClassPlan,
  known: GoogleClass,
): Row {
  const nothing = { reviewStatus: null, sentAt: null, facts: null };
  const { message: problem } = failure;
  if (!isPassing(failure)) {
    return { ...nothing, configurationVersion, contentHash: hash, members: known.members, problem };
  }
  return {
    ...nothing,
    configurationVersion: known.configurationVersion,
    contentHash: INCOMPLETE,
    members: [...new Set([...known.members, ...pathsOf(content)])],
    problem,
  };
}
