import {
  findPassesForUpdate,
  fulfilWishes,
  type PassWish,
  passNotFound,
  type WishResult,
} from "#src/passes/public.ts";
import { recordCheckIn } from "#src/scans/public.ts";
import type { Ticket, TicketCheckIn, TicketsAction } from "../kit/action.ts";
import { insertEffect, listEffectKeys } from "./action-effect.repository.ts";
import { listGone } from "./action-subject.repository.ts";
import {
  type KnownTicket,
  listPassesOfTickets,
  listTicketsForUpdate,
  upsertTickets,
} from "./action-ticket.repository.ts";
import type { ActionGround } from "./ground.ts";
import type { ActionOutcome } from "./outcome.ts";

/** A wish for the pass of one ticket. */
type Step = {
  readonly wish: PassWish;
  readonly known: KnownTicket | undefined;
  /** Undefined if it is void. */
  readonly ticket?: Ticket;
};

/** Brings the passes of all tickets that were sold as one to what the vendor tells of them. */
export async function applyTickets(
  ground: ActionGround,
  action: TicketsAction,
): Promise<ActionOutcome[]> {
  const { context, tx, types, connector } = ground;
  const { valid } = action;
  const known = await lockKnown(ground, action);
  const erased = await erasedKeys(ground, action);
  const steps = [
    ...valid
      .filter(({ key }) => !erased.has(key))
      .map((ticket) => issue(ground, action, ticket, known)),
    ...known.filter((one) => isEnding(one, action)).map(revoke),
  ];
  const wishes = steps.map(({ wish }) => wish);
  const results = await fulfilWishes(context, tx, types, wishes, { mayGuess: false });
  const outcomes: ActionOutcome[] = [];
  const changed: KnownTicket[] = [];
  for (const [at, step] of steps.entries()) {
    const result = results[at];
    if (result === undefined) throw new Error("A wish that must have a result has none.");
    outcomes.push(outcomeOf(result));
    const now = ticketAfter(action, step, result);
    if (now !== undefined) changed.push(now);
  }
  upsertTickets(tx, connector, changed);
  return [...outcomes, ...(await recordCheckIns(ground, steps, results))];
}

/**
 * The tickets that are known, locked until the end of the transaction, so that an order does not
 * revoke what another one gives at the same moment. Their passes come first, as in an erasure.
 */
async function lockKnown(
  { tx, connector }: ActionGround,
  { soldAs, valid }: TicketsAction,
): Promise<KnownTicket[]> {
  const selection = { connector, soldAs, keys: valid.map(({ key }) => key) };
  const passIds = await listPassesOfTickets(tx, selection);
  if (passIds.length === 0) return [];
  await findPassesForUpdate(tx, passIds);
  return await listTicketsForUpdate(tx, selection);
}

/**
 * Tickets of erased people stay away. What is told may be as new as it likes: an order also changes for
 * the sake of others. Where the delivery brings news of the ticket itself, those end its being gone.
 */
async function erasedKeys(
  { tx, connector, newsSubject, found }: ActionGround,
  { identifier, valid }: TicketsAction,
): Promise<ReadonlySet<string>> {
  const subjects = valid.map(({ key }) => `${identifier}=${key}`);
  const others = subjects.filter((subject) => subject !== newsSubject);
  const gone = others.length === 0 ? [] : await listGone(tx, connector, others);
  found.push({ subjects: subjects.filter((subject) => !gone.includes(subject)), at: null });
  return new Set(gone.map((subject) => subject.slice(identifier.length + 1)));
}

function issue(
  { connector }: ActionGround,
  { passType, identifier }: TicketsAction,
  ticket: Ticket,
  all: readonly KnownTicket[],
): Step {
  const known = all.find(({ key }) => key === ticket.key);
  const { key, additionalData, expirationDate } = ticket;
  const contents = {
    identifiers: { ...ticket.identifiers, [`${connector}.${identifier}`]: key },
    additionalData,
    ...(expirationDate === undefined ? {} : { expirationDate }),
    // A pass that somebody disabled here for another reason stays disabled.
    ...(known?.isVoid && known.isDisabledHere ? { status: "active" as const } : {}),
  };
  // A pass that is there keeps its type, also if later ones get another.
  const wish: PassWish =
    known === undefined
      ? { action: "upsert", passType, ...contents }
      : { action: "update", passId: known.passId, ...contents };
  return { wish, known, ticket };
}

/** Whether it was valid until now, and is not any more. */
function isEnding({ key, soldAs, isVoid }: KnownTicket, action: TicketsAction): boolean {
  if (isVoid || soldAs !== action.soldAs) return false;
  return !action.valid.some((ticket) => ticket.key === key);
}

function revoke(known: KnownTicket): Step {
  const wish: PassWish = { action: "disable", passId: known.passId, identifiers: {} };
  return { wish, known };
}

function isGone(result: WishResult): boolean {
  return result.result === "failed" && result.problem.code === passNotFound.code;
}

function outcomeOf(result: WishResult): ActionOutcome {
  const { passId } = result;
  if (result.result !== "failed") return { do: "tickets", outcome: result.result, passId };
  if (isGone(result)) return { do: "tickets", outcome: "skipped", note: "The pass is gone." };
  return { do: "tickets", outcome: "failed", passId, note: result.problem.message };
}

/** What is to be remembered of a ticket; undefined if its pass could not be brought there. */
function ticketAfter(
  { soldAs }: TicketsAction,
  { ticket, known }: Step,
  result: WishResult,
): KnownTicket | undefined {
  if (result.result === "failed") return undefined;
  const { passId } = result;
  if (ticket !== undefined) {
    return { key: ticket.key, soldAs, passId, isVoid: false, isDisabledHere: false };
  }
  const isDisabledHere = result.result === "updated";
  return known && { ...known, isVoid: true, isDisabledHere };
}

/** Once for each, however often the vendor tells of it. */
async function recordCheckIns(
  { tx, connector, occurredAt }: ActionGround,
  steps: readonly Step[],
  results: readonly WishResult[],
): Promise<ActionOutcome[]> {
  const told = steps.flatMap(({ ticket }, at) => {
    const result = results[at];
    if (ticket === undefined || result === undefined || result.result === "failed") return [];
    const { passId } = result;
    return (ticket.checkIns ?? []).map((checkIn) => ({ ...checkIn, passId }));
  });
  const keys = told.map(({ key }) => key);
  const known = new Set(keys.length === 0 ? [] : await listEffectKeys(tx, connector, keys));
  const outcomes: ActionOutcome[] = [];
  for (const { passId, ...checkIn } of told.filter(({ key }) => !known.has(key))) {
    const effect = { key: checkIn.key, ofKey: null, passId, privilegeId: null, value: null };
    if (!(await insertEffect(tx, connector, effect))) continue;
    const scanId = await recordCheckIn(tx, passId, scanOf(connector, checkIn, occurredAt));
    outcomes.push({ do: "check-in", outcome: "done", passId, scanId });
  }
  return outcomes;
}

/** A check-in at the vendor as the scan that it becomes. */
export function scanOf(
  connector: string,
  { key, location, at }: TicketCheckIn,
  occurredAt: Date,
): Parameters<typeof recordCheckIn>[2] {
  return {
    scanner: `extension:${connector}`,
    reference: `${connector} ${key}`,
    location: location ?? null,
    at: at ?? occurredAt,
  };
}
