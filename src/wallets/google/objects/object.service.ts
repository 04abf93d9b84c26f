import { randomUUID } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { ProblemError } from "#kernel/errors.ts";
import { contentNotFound } from "#src/content/public.ts";
import type { Pass } from "#src/passes/public.ts";
import type { GoogleApi, GoogleResource, Upsert } from "../api/api.client.ts";
import { changeOf, pathsOf } from "../api/api.content.ts";
import type { GoogleFailure, GoogleOutcome } from "../api/api.outcome.ts";
import { TIMEOUT_MS } from "../api/api-exchange.client.ts";
import { NOTIFICATIONS_MAX } from "../classes/class.notices.ts";
import { passFactsOf, takenFrom } from "../classes/class.plan.ts";
import { ensureClass, type SendingPass } from "../classes/class.service.ts";
import { resendClass } from "../classes/class-resend.service.ts";
import type { GoogleAccount } from "../google-account.ts";
import { isAccountReplaced } from "../google-account-change.ts";
import { deleteEndedHalt, deleteHalt, upsertHalt } from "../halts/halt.repository.ts";
import { objectHash } from "../outdated/local-times.ts";
import { knownPaths, memberType, resourceType } from "../resources/resource.members.ts";
import { hasAnnounced } from "./message.content.ts";
import { countNotified, insertAnnounced } from "./message.repository.ts";
import { sendMessages } from "./message.service.ts";
import { stateOf } from "./object.content.ts";
import {
  type GoogleObject,
  hurryDenied,
  recordFailed,
  recordSending,
  recordSent,
  recordStateSending,
  STATE_ONLY,
} from "./object.repository.ts";
import { OBJECT_HINT } from "./object.signal.ts";
import { type BuiltPass, buildPass } from "./object-content.service.ts";
import { emitDelivered, emitFailed } from "./object-delivery.service.ts";
import { holdsClaim } from "./object-queue.repository.ts";

/** After Google refused the account, nothing is sent for the tenant for so long. */
const HALT_SECONDS = 300;
const AGAIN_SECONDS_MIN = 2;
const AGAIN_SECONDS_MAX = 600;
const PROBLEM_LENGTH_MAX = 500;

/** Brings one pass to Google. `token` is that of the claim. */
export type Sending = {
  readonly context: TenantContext;
  readonly api: GoogleApi;
  readonly account: GoogleAccount;
  readonly token: string;
};

/** Sends only as long as the claim cannot be that of another process before Google has answered. */
export function claimedApi(
  context: TenantContext,
  api: GoogleApi,
  { token, passId }: { readonly token: string; readonly passId: string },
): GoogleApi {
  return api.guarded(() => holdsClaim(context, token, passId, TIMEOUT_MS / 1_000));
}

export type SendResult = {
  readonly failure?: GoogleFailure;
  /** False if Google had this content already. */
  readonly isChanged: boolean;
};

/** Sends the class if it is missing, and the object if it has changed. */
export async function sendObject(
  sending: Pick<Sending, "context" | "api" | "token">,
  object: GoogleObject,
  built: BuiltPass,
): Promise<SendResult> {
  const { context, api, token } = sending;
  const since = context.clock.now();
  const { type, objectId, object: content, ofClass } = built;
  const pass = sendingPass(object, token);
  const failure = await ensureClass(context, api, ofClass, pass);
  if (failure !== undefined) return { failure, isChanged: true };
  const isSame = object.objectId === objectId && object.contentHash === objectHash(type, content);
  if (isSame) return { isChanged: false };
  const isNew = object.contentHash === null || object.objectId !== objectId;
  // A member that Google does not know is refused also where it is taken away.
  const members = knownPaths(resourceType(`${type}Object`), object.members);
  const before = object.objectId === objectId ? members : [];
  if (!(await noteSending(context, token, object.passId, built, before))) {
    return { failure: SENT_BY_OTHER, isChanged: true };
  }
  const change = changeOf(content, before);
  const resource: GoogleResource = `${type}Object`;
  const upsert: Upsert = { resource, id: objectId, content, change, isNew, before };
  const isAnnounced =
    built.announcesChanges && !isUnchanged(object) && takesNotifyPreference(resource);
  const send = () =>
    isAnnounced ? upsertAnnounced({ context, api }, object.passId, upsert) : api.upsert(upsert);
  let outcome = await send();
  if (outcome.kind === "class-not-found") {
    const unknownClass = { built: ofClass, pass, since, failure: outcome };
    const failure = await resendClass(context, api, unknownClass);
    if (failure !== undefined) return { failure, isChanged: true };
    outcome = await send();
  }
  return outcome.kind === "done" ? { isChanged: true } : { failure: outcome, isChanged: true };
}

function sendingPass(object: GoogleObject, token: string): SendingPass {
  const { passId, taken } = object;
  const isChange = !isUnchanged(object);
  return { passId, token, taken, isChange, isAtGoogle: object.contentHash !== null };
}

const SENT_BY_OTHER: GoogleFailure = {
  kind: "unavailable",
  message: "Another process sends the pass.",
};

/** True for a pass that is merely brought up to date: whatever changes a pass queues it. */
function isUnchanged({ contentHash, state }: GoogleObject): boolean {
  return state === "sent" && contentHash !== null;
}

/** Google notifies of no change of a generic pass, and refuses a request that asks for it. */
function takesNotifyPreference(resource: GoogleResource): boolean {
  return memberType(resourceType(resource), "notifyPreference") !== undefined;
}

/**
 * Google tells the holder itself when one of the members changes that it has for this, such as points
 * or a seat, and counts that like a message: after a few in a day, the change is sent without. Which
 * values have changed is not known here, so each change of a content with such members counts.
 */
async function upsertAnnounced(
  { context, api }: Pick<Sending, "context" | "api">,
  passId: string,
  upsert: Upsert,
): Promise<GoogleOutcome> {
  // An object that is new at Google changes nothing for its holder.
  if (upsert.isNew) return await api.upsert(upsert);
  const isCounted = hasAnnounced(upsert.content);
  if (isCounted && (await countNotified(context, passId)) >= NOTIFICATIONS_MAX) {
    return await api.upsert(upsert);
  }
  const change = { ...upsert.change, notifyPreference: "NOTIFY_ON_UPDATE" };
  const outcome = await api.upsert({ ...upsert, change });
  if (outcome.kind === "quota" && outcome.isRateLimit !== true) return await api.upsert(upsert);
  if (outcome.kind === "done" && isCounted) {
    await context.transaction((tx) => insertAnnounced(tx, `change_${randomUUID()}`, passId));
  }
  return outcome;
}

/**
 * Notes what Google may have from now on, because its answer may be lost: an erasure has to empty
 * that too. False if the row has another token by now.
 */
async function noteSending(
  context: TenantContext,
  token: string,
  passId: string,
  { type, objectId, object, ofClass }: BuiltPass,
  before: readonly string[],
): Promise<boolean> {
  const members = [...new Set([...before, ...pathsOf(object)])];
  if (before.length > 0 && members.length === before.length) return true;
  const { classId } = ofClass;
  const sending = { passId, objectId, classId, googleType: type, members };
  return await context.transaction((tx) => recordSending(tx, token, sending));
}

/** The whole turn of one claimed object: content, messages, record. */
export async function syncObject(
  sending: Sending,
  object: GoogleObject,
  pass: Pass,
): Promise<void> {
  const built = await buildOrExplain(sending, pass);
  if (typeof built === "string") return await syncState(sending, object, pass, built);
  const { failure: refused, isChanged } = await sendObject(sending, object, built);
  const failure = refused ?? (await sendMessages(sending, pass, built));
  const told = isChanged ? pass : undefined;
  if (failure === undefined) await noteSent(sending, object, built, told);
  else await noteFailure(sending, object, failure, told);
}

/** Returns the reason in plain words if the pass has no template any more. */
async function buildOrExplain(
  { context, account }: Sending,
  pass: Pass,
): Promise<BuiltPass | string> {
  try {
    return await buildPass(context, account, pass);
  } catch (error) {
    if (error instanceof ProblemError && error.code === contentNotFound.code) return error.message;
    throw error;
  }
}

/**
 * A pass without a template stays at Google as it was, except for its state: whoever disables a pass
 * relies on that. One that is active, and always was, costs no request.
 */
async function syncState(
  sending: Sending,
  object: GoogleObject,
  pass: Pass,
  reason: string,
): Promise<void> {
  const { context, api, account, token } = sending;
  const { passId, objectId, googleType, contentHash: known } = object;
  const state = stateOf(pass, context.clock.now());
  const isReachable = known !== null && objectId.startsWith(`${account.issuerId}.`);
  if (googleType !== null && isReachable && (state !== "ACTIVE" || known === STATE_ONLY)) {
    await context.transaction((tx) => recordStateSending(tx, token, passId));
    const outcome = await api.patch(`${googleType}Object`, objectId, { state });
    const isFinal = ["done", "not-found", "refused"].includes(outcome.kind);
    if (outcome.kind !== "done" && !isFinal) return await noteFailure(sending, object, outcome);
  }
  await noteFailure(sending, object, { kind: "refused", message: reason });
}

/**
 * `told` is the pass if its content changed at Google: then those who follow it hear of that. `isTaken` if
 * Google was asked and took it.
 */
export async function noteSent(
  { context, token }: Pick<Sending, "context" | "token">,
  known: GoogleObject,
  { objectId, object, type, ofClass }: BuiltPass,
  told?: Pass,
  isTaken = told !== undefined,
): Promise<void> {
  const { passId, revision } = known;
  const { classId } = ofClass;
  const facts = passFactsOf(ofClass, {
    taken: known.taken,
    isAtGoogle: known.contentHash !== null,
  });
  const sent = {
    ...{ passId, objectId, revision, classId, googleType: type },
    contentHash: objectHash(type, object),
    members: pathsOf(object),
    taken: takenFrom(ofClass, facts),
  };
  await context.transaction(async (tx) => {
    if (isTaken) deleteEndedHalt(tx);
    const isRecorded = await recordSent(tx, token, sent);
    if (isRecorded && told !== undefined) emitDelivered(tx, known, told);
  });
}

/** Without an account, the tenant has none that is usable. */
export async function noteFailure(
  sending: Pick<Sending, "context" | "token"> & Partial<Pick<Sending, "account">>,
  known: GoogleObject,
  failure: GoogleFailure,
  told?: Pass,
): Promise<void> {
  const { context, account } = sending;
  const isReplaced = async () =>
    failure.kind === "denied" &&
    account !== undefined &&
    (await isAccountReplaced(context, account));
  // What Google says of an account of the past must not halt what the new one sends.
  const { message } = failure;
  const heard = (await isReplaced()) ? ({ kind: "unavailable", message } as const) : failure;
  await recordFailure(sending, known, heard, told);
  // It may have been replaced just now, by somebody who found nothing halted yet.
  if (heard.kind === "denied" && (await isReplaced())) await context.transaction(resumeObjects);
}

async function recordFailure(
  { context, token }: Pick<Sending, "context" | "token">,
  known: GoogleObject,
  { kind, message, code, waitMs }: GoogleFailure,
  told: Pass | undefined,
): Promise<void> {
  const { passId, revision, attempts } = known;
  const problem = message.slice(0, PROBLEM_LENGTH_MAX);
  // Logs and receivers of events keep what they get after the pass was erased, and what Google says
  // may quote the pass: that is kept with the pass alone.
  const reason = code === undefined ? "Google refused the pass." : `Google answered ${code}.`;
  const { tenantId } = context;
  if (kind === "denied") {
    const facts = { tenantId, problem, seconds: HALT_SECONDS };
    context.log.warn(facts, "Google refuses the account of a tenant: its passes wait");
  } else if (kind !== "unavailable" && kind !== "quota") {
    context.log.warn({ tenantId, passId, reason }, "Google refuses a pass");
  }
  await context.transaction(async (tx) => {
    const failed = { passId, revision, problem };
    if (kind === "denied") {
      await upsertHalt(tx, HALT_SECONDS, problem);
      const againInSeconds = HALT_SECONDS;
      await recordFailed(tx, token, { ...failed, state: "denied", againInSeconds });
    } else if (kind === "unavailable" || kind === "quota") {
      const againInSeconds = againIn(attempts, waitMs);
      await recordFailed(tx, token, { ...failed, state: "queued", againInSeconds });
    } else {
      const final = { ...failed, state: "failed", againInSeconds: undefined } as const;
      const isRecorded = await recordFailed(tx, token, final);
      if (isRecorded && told !== undefined) emitFailed(tx, known, told, reason);
    }
  });
}

/** The pause doubles with each failure, and is at least what Google asked for. */
export function againIn(attempts: number, waitMs = 0, secondsMax = AGAIN_SECONDS_MAX): number {
  const doubled = AGAIN_SECONDS_MIN * 2 ** Math.min(attempts, 20);
  return Math.max(Math.min(doubled, secondsMax), waitMs / 1_000);
}

/** For an account that is new, or works again: what waits since Google refused it is sent at once. */
export async function resumeObjects(tx: TenantTx): Promise<void> {
  if ((await deleteHalt(tx)) === 0) return;
  hurryDenied(tx);
  tx.hint(OBJECT_HINT, tx.tenantId);
}
