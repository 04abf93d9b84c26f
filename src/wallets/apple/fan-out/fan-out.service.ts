import { randomUUID } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { publishedTemplatesOf } from "#src/templates/public.ts";
import { newestConfigurationOf } from "#src/tenants/public.ts";
import { type PassChanges, passTypesAffectedBy } from "../../publication.changes.ts";
import { PUSH_HINT } from "../deliveries/delivery.service.ts";
import { judge, type PushAnswer } from "../push/push.answer.ts";
import type { PushSender } from "../push/push.client.ts";
import { fetchMs } from "../push/push.schedule.ts";
import { partEnded, recordSent } from "../push/push.service.ts";
import { type Stop, senderOf, sendPushes } from "../push/push-send.service.ts";
import * as fanOuts from "./fan-out.repository.ts";

/** Begins to push to all devices of the tenant, because any pass may have changed. */
export async function tellAllDevices(tx: TenantTx): Promise<void> {
  await startFanOut(tx, { version: 0, paths: undefined });
}

/** Begins to push to the devices that hold passes which may show one of the published files. */
export async function startFanOut(tx: TenantTx, change: PassChanges): Promise<void> {
  await fanOuts.upsertFanOut(tx, change);
  tx.hint(PUSH_HINT, tx.tenantId);
}

/**
 * Undefined if the walk goes over all passes: also if a version was published that it does not cover, such as by
 * a process of the release before.
 */
async function passTypesOf(
  context: TenantContext,
  { version, paths }: fanOuts.FanOut,
): Promise<readonly string[] | undefined> {
  if (paths === null) return undefined;
  const configuration = await newestConfigurationOf(context);
  if (configuration.version !== version) return undefined;
  return passTypesAffectedBy(await publishedTemplatesOf(configuration), paths);
}

/** One step of a fan-out. */
export type FanOutStep = fanOuts.FanOutBatch & {
  /** Undefined if nothing can be pushed now: then the deliveries wait like all others. */
  readonly sender: PushSender | undefined;
};

/**
 * Takes the next step of the tenant's fan-out: writes deliveries for some devices, and claims them with the
 * same statement. Undefined if there is no fan-out, or no tenant any more.
 */
export async function claimFanOut(
  context: TenantContext,
  lease: Lease,
  devices: number,
): Promise<FanOutStep | undefined> {
  const fanOut = await fanOuts.findFanOut(context);
  if (fanOut === undefined) return undefined;
  const found = fanOut.isPaused ? undefined : await senderOf(context);
  const sender = found === undefined || "reason" in found ? undefined : found;
  const affectedTypes = await passTypesOf(context, fanOut);
  return await context.transaction(async (tx) => {
    lease.begin();
    const next = await fanOuts.lockNext(tx, devices);
    if (next === undefined) return undefined;
    const { after } = next;
    // The walk may have begun again meanwhile, for other files.
    const passTypes = next.version === fanOut.version ? affectedTypes : undefined;
    const last = await lastOf(tx, next, devices, passTypes);
    if (last === null) {
      fanOuts.deleteFanOut(tx);
      return undefined;
    }
    fanOuts.updateFanOut(tx, last);
    const claim = sender && {
      token: lease.token,
      seconds: lease.seconds,
      passTypeIdentifier: sender.passTypeIdentifier,
      pushAgainAt: new Date(tx.now.getTime() + fetchMs(1)),
    };
    return { ...(await fanOuts.raiseRange(tx, { after, last }, passTypes, claim)), sender };
  });
}

/** The last pass of the next step; null at the end, which is at once if no pass shows what was published. */
async function lastOf(
  tx: TenantTx,
  { after, last }: fanOuts.NextPasses,
  devices: number,
  passTypes: readonly string[] | undefined,
): Promise<string | null> {
  if (passTypes === undefined) return last;
  if (passTypes.length === 0) return null;
  return await fanOuts.findLastOfTypes(tx, after, devices, passTypes);
}

/** Pushes to the devices of one step, and records what became of it. */
export async function pushFanOut(
  context: TenantContext,
  step: FanOutStep,
  lease: Pick<Lease, "token" | "isOver" | "signal">,
): Promise<void> {
  const { sender, count } = step;
  if (sender === undefined) return;
  const tokens = count === 0 ? [] : [...new Set(step.tokens.split(" "))];
  const { answers, stop } = await sendPushes(context, sender, tokens, lease.signal);
  if (lease.isOver) return;
  const others = new Map<string, PushAnswer | undefined>();
  for (const [at, token] of tokens.entries()) {
    const answer = answers[at];
    if (answer === undefined || judge(answer) !== "accepted") others.set(token, answer);
  }
  const setApart =
    others.size === 0 ? undefined : await setOthersApart(context, step, lease, others);
  await recordTaken(context, step, lease.token, count - (setApart?.count ?? 0));
  await setApart?.record(stop);
}

/**
 * Takes out of the batch what Apple did not take. It is recorded after the others, and by the same ways as
 * deliveries that were due: some are tried again, and some devices are removed. What Apple said of a token
 * that the device does not have any more is said of nobody: a new one has not been tried.
 */
async function setOthersApart(
  context: TenantContext,
  step: FanOutStep,
  lease: Pick<Lease, "token">,
  others: ReadonlyMap<string, PushAnswer | undefined>,
) {
  const tokens = step.tokens.split(" ");
  const told = new Map<string, string>();
  for (const [at, deviceId] of step.devices.split(" ").entries()) {
    const pushToken = tokens[at];
    if (pushToken !== undefined && others.has(pushToken)) told.set(deviceId, pushToken);
  }
  const token = randomUUID();
  const claimed = await context.transaction((tx) =>
    fanOuts.claimApart(tx, step, [lease.token, token], [...told.keys()]),
  );
  const { ended, due } = partEnded(claimed, step.sender);
  const byToken = Map.groupBy(due, ({ deviceId, pushToken }) =>
    told.get(deviceId) === pushToken ? pushToken : null,
  );
  const sent = [...byToken].map(([pushToken, deliveries]) => ({
    deliveries,
    answer: pushToken === null ? undefined : others.get(pushToken),
  }));
  return {
    count: claimed.length,
    record: (stop: Stop | undefined) => recordSent(context, claimed, ended, { token, stop, sent }),
  };
}

async function recordTaken(
  context: TenantContext,
  step: FanOutStep,
  claim: string,
  expected: number,
): Promise<void> {
  const isDone = await context.transaction(async (tx) => {
    const isAll = (await fanOuts.recordBatch(tx, step, claim)) === expected;
    if (isAll) fanOuts.deleteBatch(tx, claim);
    return isAll;
  });
  if (isDone) return;
  // Some devices asked meanwhile, or passes changed once more.
  await context.transaction(async (tx) => {
    await fanOuts.recordLeft(tx, step, claim);
    fanOuts.deleteBatch(tx, claim);
  });
}
