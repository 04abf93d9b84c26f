import type { ProblemError } from "#kernel/errors.ts";
import { eraseCustomerBy, type Identifiers, upsertCustomer } from "#src/customers/public.ts";
import { fulfilWishes, type PassWish, passNotFound, type WishResult } from "#src/passes/public.ts";
import { recordCheckIn } from "#src/scans/public.ts";
import { catchUpTenant } from "../catch-up/catch-up.jobs.ts";
import { insertCall, updateCall } from "../journeys/journey.repository.ts";
import type {
  Action,
  CheckInAction,
  LookAgainAction,
  PassAction,
  PassReference,
} from "../kit/action.ts";
import { fitToType } from "../kit/fitting.ts";
import { insertEffect } from "./action-effect.repository.ts";
import { applyReceipt, applyRefund } from "./action-receipt.service.ts";
import { listGone, requireNotGone } from "./action-subject.repository.ts";
import { applyTickets, scanOf } from "./action-ticket.service.ts";
import { applyMovement, applyReversal } from "./action-value.service.ts";
import type { ActionGround } from "./ground.ts";
import { type ActionOutcome, NotYet, PassedOverErased } from "./outcome.ts";

const LOOK_AGAIN_MS = 60_000;

/**
 * Applies actions in their order, in one transaction. What it throws undoes them all: `NotYet` and
 * `PassedOver` have a meaning of their own, and problems are lasting or not by their status.
 */
export async function applyActions(
  ground: ActionGround,
  actions: readonly Action[],
): Promise<ActionOutcome[]> {
  const outcomes: ActionOutcome[] = [];
  for (const action of actions) {
    if (action.do === "tickets") outcomes.push(...(await applyTickets(ground, action)));
    else outcomes.push(await apply(ground, action));
  }
  return outcomes;
}

/** Call it last: by then the news of this very delivery are noted. */
export function requireNobodyGone({ tx, connector, found }: ActionGround): void {
  for (const { subjects, at } of found) requireNotGone(tx, connector, subjects, at);
}

type SingleAction = Exclude<Action, { readonly do: "tickets" }>;

async function apply(ground: ActionGround, action: SingleAction): Promise<ActionOutcome> {
  const { context, tx, connector } = ground;
  switch (action.do) {
    case "customer": {
      await requireNotErased(ground, action.identifiers);
      const { identifiers, change, onlyIfMissing = false } = action;
      const tied = await upsertCustomer(tx, { ...change, identifiers }, { onlyIfMissing });
      return { do: action.do, outcome: tied.outcome, customerId: tied.customer.id };
    }
    case "pass":
      return await applyPass(ground, action);
    case "movement":
      return await applyMovement(tx, connector, action, await passOf(ground, action.pass));
    case "reversal":
      return await applyReversal(tx, connector, action);
    case "check-in":
      return await applyCheckIn(ground, action);
    case "receipt": {
      const passId = action.pass && (await passOf(ground, action.pass));
      return await applyReceipt(tx, ground.desk, connector, action, passId);
    }
    case "refund":
      return await applyRefund(tx, connector, action);
    case "look-again":
      tx.enqueue(catchUpTenant, { connector, part: action.part }, lookAgainOptions(ground, action));
      return { do: action.do, outcome: "done" };
    case "erase": {
      const customerId = await eraseCustomerBy(context, tx, action.identifiers);
      return { do: action.do, outcome: customerId === undefined ? "unchanged" : "done" };
    }
    case "notice":
      ground.showNotice(action.text);
      return { do: action.do, outcome: "done" };
  }
}

/** Vendors tell of several changes in a row: one look serves them all. */
function lookAgainOptions({ tx, connector }: ActionGround, { part }: LookAgainAction) {
  const startAfter = new Date(tx.now.getTime() + LOOK_AGAIN_MS);
  return { startAfter, singletonKey: `${connector} ${part}` };
}

async function applyPass(ground: ActionGround, action: PassAction): Promise<ActionOutcome> {
  const { onlyIfMissing = false, waits = false } = action;
  const wish = fitted(ground, action);
  if (wish.action === "upsert") await requireNotErased(ground, presentOf(wish.identifiers));
  const { key } = action;
  if (key !== undefined && !(await insertCall(ground.tx, ground.connector, key))) {
    return { do: "pass", outcome: "unchanged", note: "It was done before." };
  }
  if (onlyIfMissing) {
    const { passType, identifiers } = wish;
    const found = await fulfil(ground, { action: "update", passType, identifiers });
    if (found.result !== "failed") {
      return { do: "pass", outcome: "unchanged", passId: found.passId };
    }
    if (found.problem.code !== passNotFound.code) throw found.problem;
  }
  const done = await fulfil(ground, wish);
  if (done.result === "failed") throw waits ? notYet(done.problem) : done.problem;
  const { result: outcome, passId } = done;
  if (key !== undefined) updateCall(ground.tx, ground.connector, key, { passId, outcome });
  return { do: "pass", outcome, passId };
}

function fitted({ types }: ActionGround, { wish, fitsTo }: PassAction): PassWish {
  const { additionalData } = wish;
  if (fitsTo === undefined || additionalData === undefined) return wish;
  return { ...wish, additionalData: fitToType(types, fitsTo, additionalData) };
}

function presentOf(identifiers: PassWish["identifiers"]): Identifiers {
  return Object.fromEntries(
    Object.entries(identifiers).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}

async function fulfil({ context, tx, types }: ActionGround, wish: PassWish): Promise<WishResult> {
  // A later action may keep a receipt of the pass.
  const [result] = await fulfilWishes(context, tx, types, [wish], { mayGuess: false, holds: true });
  if (result === undefined) throw new Error("A wish that must have a result has none.");
  return result;
}

/** What a delivery waits for that comes before its pass. */
function notYet(problem: ProblemError): Error {
  return problem.status === 404 ? new NotYet("There is no such pass yet.") : problem;
}

/** The pass that is meant, locked until the end of the transaction. */
async function passOf(
  ground: ActionGround,
  { identifiers, passType }: PassReference,
): Promise<string> {
  const found = await fulfil(ground, { action: "update", identifiers, passType });
  if (found.result === "failed") throw found.problem;
  return found.passId;
}

async function applyCheckIn(ground: ActionGround, action: CheckInAction): Promise<ActionOutcome> {
  const { tx, connector, occurredAt } = ground;
  const wish: PassWish = { action: "update", ...action.pass };
  const { passId } = await applyPass(ground, { do: "pass", wish, waits: true });
  if (passId === undefined) throw new Error("A pass that was found has no id.");
  const effect = { key: action.key, ofKey: null, passId, privilegeId: null, value: null };
  if (!(await insertEffect(tx, connector, effect))) {
    return { do: "check-in", outcome: "unchanged", passId };
  }
  const scanId = await recordCheckIn(tx, passId, scanOf(connector, action, occurredAt));
  return { do: "check-in", outcome: "done", passId, scanId };
}

/** What happened before somebody was erased must not bring them back. */
async function requireNotErased(
  { tx, connector, occurredAt, found }: ActionGround,
  identifiers: Identifiers,
): Promise<void> {
  const subjects = subjectsOf(connector, identifiers);
  if (subjects.length === 0) return;
  if ((await listGone(tx, connector, subjects, occurredAt)).length > 0)
    throw new PassedOverErased();
  found.push({ subjects, at: occurredAt });
}

/** `customerId=7` for the identifier `shopify.customerId` with the value 7. */
export function subjectsOf(connector: string, identifiers: Identifiers): string[] {
  const prefix = `${connector}.`;
  return Object.entries(identifiers).flatMap(([name, value]) =>
    name.startsWith(prefix) ? `${name.slice(prefix.length)}=${value}` : [],
  );
}
