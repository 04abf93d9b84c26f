import { setTimeout as sleep } from "node:timers/promises";
import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { ProblemError } from "#kernel/errors.ts";
import {
  acceptUpdates,
  findPassesForUpdate,
  fulfilWishes,
  linksOf,
  type PassTypes,
  passNotFound,
  passTypesOf,
} from "#src/passes/public.ts";
import { configurationOf, publicAddress } from "#src/tenants/public.ts";
import { fitToType } from "../kit/fitting.ts";
import type { JourneyCall } from "../kit/journey.ts";
import { journeyKey, journeyPerson } from "../kit/journey-key.ts";
import { errorsByField, type JourneyError } from "../kit/journey-read.ts";
import { journeyTooSlow } from "./journey.errors.ts";
import { findCall, insertCall, lockPerson, updateCall } from "./journey.repository.ts";
import type { JourneyDone } from "./journey.schema.ts";

export type JourneyOutcome =
  /** A call that is repeated has no effect, and gets what the first one got. */
  | { readonly done: JourneyDone; readonly isRepeated: boolean }
  /** Only this person is concerned: the same call for another one may succeed. */
  | { readonly refused: readonly JourneyError[] };

/**
 * Does what a step of a journey asks for, before it answers: vendors use the answer, and it takes a few
 * milliseconds. Where it takes longer than the vendor waits, the answer is 503 while the work goes on;
 * the vendor asks again, and its key leads to what was done.
 */
export async function runJourney(
  context: TenantContext,
  connector: string,
  call: JourneyCall,
  deadlineMs: number,
): Promise<JourneyOutcome> {
  const work = act(context, connector, call);
  const over = new AbortController();
  const deadline = sleep(deadlineMs, "late" as const, { signal: over.signal, ref: false });
  deadline.catch(() => undefined);
  try {
    const outcome = await Promise.race([work, deadline]);
    if (outcome !== "late") return outcome;
  } finally {
    over.abort();
  }
  const { tenantId, requestId, log } = context;
  log.warn({ tenantId, connector, requestId, deadlineMs }, "a step of a journey is late");
  work.catch((error) => {
    log.warn({ err: error, tenantId, connector, requestId }, "a late step of a journey failed");
  });
  throw journeyTooSlow();
}

/** Undoes the transaction of a call that was refused, with its key. */
class Refused extends Error {
  readonly problem: ProblemError;

  constructor(problem: ProblemError) {
    super(problem.message);
    this.problem = problem;
  }
}

async function act(
  context: TenantContext,
  connector: string,
  call: JourneyCall,
): Promise<JourneyOutcome> {
  const types = await passTypesOf(context);
  const { settings } = await configurationOf(context);
  const address = publicAddress(context.runtime.baseUrl, settings.customDomain);
  try {
    const outcome = await context.transaction(async (tx) => {
      const effect = await doOnce(context, tx, types, connector, call);
      const done = await present(tx, address, effect);
      return { done, isRepeated: effect.isRepeated };
    });
    if (call.updatesMetadata) await refresh(context, outcome.done.passId);
    return outcome;
  } catch (error) {
    const problem = error instanceof Refused ? error.problem : error;
    // What may pass is for the vendor to send again; a problem of this one person is not.
    if (!(problem instanceof ProblemError) || problem.status >= 500) throw problem;
    return { refused: errorsOf(problem) };
  }
}

type Effect = {
  readonly passId: string;
  readonly outcome: JourneyDone["status"];
  readonly isRepeated: boolean;
};

async function doOnce(
  context: TenantContext,
  tx: TenantTx,
  types: PassTypes,
  connector: string,
  call: JourneyCall,
): Promise<Effect> {
  // Two calls about somebody who has no pass yet would make two.
  if (call.action === "createPass") lockPerson(tx, journeyPerson(call));
  const key = call.key === undefined ? undefined : journeyKey(call);
  if (key !== undefined && !(await insertCall(tx, connector, key))) {
    const known = await findCall(tx, connector, key);
    const { passId = null, outcome } = known ?? {};
    if (passId === null) throw new Error("A call that was done has no pass.");
    return { passId, outcome: outcome as Effect["outcome"], isRepeated: true };
  }
  const { additionalData } = call.wish;
  const wish =
    additionalData === undefined
      ? call.wish
      : { ...call.wish, additionalData: fitToType(types, call.fitsTo, additionalData) };
  const [done] = await fulfilWishes(context, tx, types, [wish], { mayGuess: false });
  if (done === undefined) throw new Error("A wish that must have a result has none.");
  if (done.result === "failed") throw new Refused(done.problem);
  const outcome = done.result === "deleted" ? "unchanged" : done.result;
  if (key !== undefined) updateCall(tx, connector, key, { passId: done.passId, outcome });
  return { passId: done.passId, outcome, isRepeated: false };
}

async function present(
  tx: TenantTx,
  address: string,
  { passId, outcome: status }: Effect,
): Promise<JourneyDone> {
  const [pass] = await findPassesForUpdate(tx, [passId]);
  if (pass === undefined) throw new Refused(passNotFound({ passId }));
  // Where nothing was changed, no event says whom the answer is about.
  tx.concerns(passId);
  const { landing } = linksOf(address, tx.tenantId, pass);
  return { success: true, passId, installUrl: landing, status };
}

/** Asks connectors of the tenant, which may take long: the vendor does not wait for them. */
async function refresh(context: TenantContext, passId: string): Promise<void> {
  const updates = [{ target: { passId }, change: {} }];
  await acceptUpdates(context, { by: "updates", updates }, { UpdateMetadata: true });
}

function errorsOf({ code, message, errors }: ProblemError): JourneyError[] {
  if (errors === undefined) return [{ code, description: message }];
  return errorsByField(
    Object.fromEntries(Object.entries(errors).map(([field, why]) => [field, [...why]])),
  );
}
