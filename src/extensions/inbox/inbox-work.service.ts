import { systemCall } from "#kernel/call.ts";
import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { messageOf, ProblemError } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { receiptDeskOf } from "#src/receipts/public.ts";
import { applyActions, requireNobodyGone } from "../actions/action.service.ts";
import {
  isOldNews,
  listGone,
  noteNews,
  type SubjectNews,
} from "../actions/action-subject.repository.ts";
import { type ActionOutcome, NotYet, PassedOver, PassedOverErased } from "../actions/outcome.ts";
import type { Action } from "../kit/action.ts";
import {
  type Arrival,
  type Connection,
  type Connector,
  type Delivery,
  DeliveryProblem,
  type Inbound,
  type News,
  type Plan,
  VendorProblem,
} from "../kit/connector.ts";
import { parseVendorJson } from "../kit/values.ts";
import { updateNotice } from "./address.repository.ts";
import { extensionDeliveryFailed } from "./inbox.events.ts";
import { peopleOf } from "./inbox.people.ts";
import { INBOX_HINT } from "./inbox.signal.ts";
import * as claims from "./inbox-claim.repository.ts";
import { ERASED, holdTerms } from "./inbox-erasure.repository.ts";

/** Vendors and our own service may be away for so long. */
const PATIENCE_MS = 3 * 86_400_000;
const PLAN_MS_MAX = 30_000;
/** Five times longer after each attempt, up to some hours. */
const FIRST_DELAY_MS = 2_000;
const DELAY_FACTOR = 5;
const DELAY_MS_MAX = 4 * 3_600_000;
const PROBLEM_CHARS_MAX = 500;

const OWN_FAULT = "Something went wrong here. It is tried again.";

/** A connector that a tenant uses. */
export type ActiveConnector = { readonly connector: Connector; readonly connection: Connection };

/**
 * Thrown where another worker has the delivery by now, or whom it is about was erased: nothing of the
 * transaction must stay.
 */
class ClaimLost extends Error {}

/**
 * Works on one delivery. Its effects and its end are one transaction, so it is done once, whoever dies
 * when. Before that, the connector may ask the vendor; no transaction is open then.
 */
export async function workOnDelivery(
  runtime: Runtime,
  tenantId: string,
  { connector, connection }: ActiveConnector,
  claimed: claims.ClaimedDelivery,
  claim: string,
  signal: AbortSignal,
): Promise<void> {
  const context = systemCall(runtime, "inbox.work", { tenantId, requestId: claimed.id });
  const arrival = arrivalOf(claimed);
  const people = arrival === undefined ? [] : peopleOf(connector, arrival);
  const subjects = [claimed.subject, ...people];
  const job: Job = { context, connector, claimed, claim, arrival, subjects };
  try {
    const plan = await planOf(job, connection, signal);
    if ("later" in plan) return await postpone(job, plan.later, true);
    if ("ignored" in plan) return await end(job, "ignored", plan.ignored);
    await fulfil(job, plan.actions, plan.news);
  } catch (error) {
    await settle(job, error, signal);
  }
}

type Job = {
  readonly context: TenantContext;
  readonly connector: Connector;
  readonly claimed: claims.ClaimedDelivery;
  readonly claim: string;
  /** Undefined after an erasure. */
  readonly arrival: Arrival | undefined;
  /** What it is about, and whom it tells of. */
  readonly subjects: readonly string[];
};

function arrivalOf({ headers, body }: claims.ClaimedDelivery): Arrival | undefined {
  return body === null ? undefined : { headers, rawBody: body, json: parseVendorJson(body) };
}

async function planOf(
  { context, connector, claimed, arrival }: Job,
  connection: Connection,
  signal: AbortSignal,
): Promise<Plan> {
  if (arrival === undefined) return { ignored: ERASED };
  const { body: _body, ...known } = claimed;
  const delivery: Delivery = { ...known, ...arrival };
  const inbound = connector.inbound as Inbound;
  const timed = AbortSignal.any([signal, AbortSignal.timeout(PLAN_MS_MAX)]);
  return await inbound.plan(context, delivery, connection, timed);
}

async function fulfil(
  job: Job,
  actions: readonly Action[],
  found: News | undefined,
): Promise<void> {
  const { context, connector, claimed } = job;
  const { name } = connector;
  const { id, subject, tells, topic } = claimed;
  const occurredAt = found?.at ?? claimed.occurredAt;
  const desk = await receiptDeskOf(context);
  await context.transaction(async (tx) => {
    const about = found?.subject ?? subject;
    const [isGone, isErasure] = [
      tells === "gone",
      actions.some(({ do: what }) => what === "erase"),
    ];
    const news = { connector: name, subject: about, at: occurredAt, isGone, isErasure };
    const isNews = tells !== null || found !== undefined;
    if (isNews) await requireNews(tx, news);
    const showNotice = (text: string) => updateNotice(tx, name, text);
    const newsSubject = isNews ? about : undefined;
    const delivery = { connector: name, occurredAt, newsSubject };
    const ground = { ...delivery, context, tx, types: desk.types, desk, found: [], showNotice };
    const applied = await applyActions(ground, actions);
    const others = job.subjects.filter((one) => one !== subject && one !== about);
    const isLate = await areErased(job, tx, others);
    const erases = isLate || isErasure;
    const result = isLate ? applied.map(withoutNote) : applied;
    const failed = result.find(({ outcome }) => outcome === "failed");
    const said = isLate ? ERASED : (failed?.note ?? OWN_FAULT);
    const problem = failed === undefined ? null : shortened(said);
    const status = failed === undefined ? "done" : "failed";
    await finish(job, tx, { status, problem, result, erases });
    if (status === "failed") tellFailure(job, tx);
    claims.insertTraces(tx, id, termsOf(job, result, erases));
    claims.hastenYielding(tx, name, subject);
    if (isNews) noteNews(tx, news);
    requireNobodyGone(ground);
    tx.audit({ target: `inbound-delivery:${id}`, after: { connector: name, topic } });
    tx.hint(INBOX_HINT, tx.tenantId);
  });
}

async function requireNews(tx: TenantTx, news: SubjectNews): Promise<void> {
  if (!(await isOldNews(tx, news))) return;
  const { connector, subject, at } = news;
  const isErased = (await listGone(tx, connector, [subject], at)).length > 0;
  throw isErased ? new PassedOverErased() : new PassedOver("Something newer is known already.");
}

/**
 * Whether one of these people was erased since it happened: then its content goes as well. Until the
 * commit, their erasures wait.
 */
async function areErased(
  { connector, claimed }: Job,
  tx: TenantTx,
  subjects: readonly string[],
): Promise<boolean> {
  if (subjects.length === 0) return false;
  const { name } = connector;
  holdTerms(
    tx,
    subjects.map((subject) => `${name}.${subject}`),
  );
  return (await listGone(tx, name, subjects, claimed.occurredAt)).length > 0;
}

function withoutNote({ note: _note, ...outcome }: ActionOutcome): ActionOutcome {
  return outcome;
}

/** By these an erasure finds it: whom and what it is about, unless they are erased, and whom it touched. */
function termsOf(
  { connector, subjects }: Job,
  outcomes: readonly ActionOutcome[],
  erases: boolean,
): string[] {
  const ids = outcomes.flatMap(({ passId, customerId }) => [passId ?? [], customerId ?? []].flat());
  if (erases) return ids;
  return [...subjects.map((subject) => `${connector.name}.${subject}`), ...ids];
}

async function finish({ claimed, claim }: Job, tx: TenantTx, ending: claims.Ending): Promise<void> {
  if (await claims.updateToEnded(tx, claimed.id, claim, ending)) return;
  throw new ClaimLost(`The delivery ${claimed.id} was claimed by another worker, or erased.`);
}

/** Somebody should look at it. */
function tellFailure({ connector, claimed }: Job, tx: TenantTx): void {
  const { id, topic, receivedAt, attempts } = claimed;
  tx.emit(extensionDeliveryFailed, {
    connector: connector.name,
    deliveryId: id,
    topic,
    receivedAt: receivedAt.toISOString(),
    attempts,
  });
}

const shortened = (problem: string) => problem.slice(0, PROBLEM_CHARS_MAX);

async function end(
  job: Job,
  status: "ignored" | "failed",
  problem: string,
  isErased = false,
): Promise<void> {
  const { context, connector, claimed } = job;
  const { id, subject } = claimed;
  await context.transaction(async (tx) => {
    const isLate = !isErased && (await areErased(job, tx, job.subjects));
    const erases = isErased || isLate;
    const said = isLate ? ERASED : problem;
    await finish(job, tx, { status, problem: shortened(said), result: null, erases });
    claims.insertTraces(tx, id, termsOf(job, [], erases));
    claims.hastenYielding(tx, connector.name, subject);
    if (status === "failed") tellFailure(job, tx);
    tx.hint(INBOX_HINT, tx.tenantId);
  });
}

function delayMsAfter(attempts: number): number {
  return Math.min(DELAY_MS_MAX, FIRST_DELAY_MS * DELAY_FACTOR ** (attempts - 1));
}

/**
 * All pauses before this attempt: for so long it was tried since its first attempt, or since somebody
 * replayed it. The time in which its connector was switched off does not count.
 */
function pausedMs(attempts: number): number {
  const earlier = Array.from({ length: Math.max(0, attempts - 1) }, (_, at) => at + 1);
  return earlier.reduce((sum, attempt) => sum + delayMsAfter(attempt), 0);
}

/** `yields`: it waits for another of its subject, which may go first. */
async function postpone(job: Job, problem: string, yields: boolean): Promise<void> {
  const { context, claimed, claim } = job;
  const now = context.clock.now();
  const ageMs = now.getTime() - claimed.receivedAt.getTime();
  if (ageMs >= PATIENCE_MS && pausedMs(claimed.attempts) >= PATIENCE_MS) {
    return await end(job, yields ? "ignored" : "failed", problem);
  }
  const nextAttemptAt = new Date(now.getTime() + delayMsAfter(claimed.attempts));
  await context.transaction(async (tx) => {
    await claims.updateToPostponed(tx, claimed.id, claim, {
      nextAttemptAt,
      problem: shortened(problem),
      yields,
    });
    if (yields) tx.hint(INBOX_HINT, tx.tenantId);
  });
}

/** What ends a delivery may find that the claim is lost, too: that must not end the work on others. */
async function settle(job: Job, error: unknown, signal: AbortSignal): Promise<void> {
  try {
    await settleWith(job, error, signal);
  } catch (failure) {
    if (!(failure instanceof ClaimLost)) throw failure;
    leave(job, failure);
  }
}

/** What is lasting ends the delivery; anything else may pass. */
async function settleWith(job: Job, error: unknown, signal: AbortSignal): Promise<void> {
  if (error instanceof NotYet) return await postpone(job, error.message, true);
  if (error instanceof PassedOver) {
    return await end(job, "ignored", error.message, error instanceof PassedOverErased);
  }
  if (error instanceof DeliveryProblem) return await end(job, "failed", error.message);
  const isProblem = error instanceof ProblemError;
  if (isProblem && error.status < 500) return await end(job, "failed", error.message);
  if (error instanceof ClaimLost || signal.aborted) return leave(job, error);
  job.context.log.warn(factsOf(job, error), "a delivery of a vendor could not be worked on");
  await postpone(job, isProblem || isTold(error) ? messageOf(error) : OWN_FAULT, false);
}

function leave(job: Job, error: unknown): void {
  job.context.log.warn(factsOf(job, error), "a delivery of a vendor is left to others");
}

function factsOf({ context, claimed, connector }: Job, error: unknown) {
  const { tenantId } = context;
  return { err: error, tenantId, connector: connector.name, deliveryId: claimed.id };
}

/** Failures of outside calls are written so that tenants may see them. */
function isTold(error: unknown): boolean {
  if (error instanceof VendorProblem) return true;
  return error instanceof Error && error.name === "EgressError";
}
