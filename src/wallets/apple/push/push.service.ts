import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { isTenantNotFound } from "#kernel/tenant.errors.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { passUpdateFailed } from "../../deliveries/delivery.events.ts";
import { raiseTags } from "../deliveries/delivery.repository.ts";
import { shownDevice } from "../deliveries/delivery.schema.ts";
import { forgetToken, removeGoneDevice } from "../devices/device.service.ts";
import { releaseBatches } from "../fan-out/fan-out.repository.ts";
import { judge, type PushAnswer } from "./push.answer.ts";
import type { PushSender } from "./push.client.ts";
import * as pushes from "./push.repository.ts";
import { fetchMs, laterMs, PUSHES_MAX, pauseMs } from "./push.schedule.ts";
import { type Stop, senderOf, sendPushes } from "./push-send.service.ts";

type Claimed = pushes.ClaimedDelivery;
/** What became of the push to one device, which stands for all its claimed deliveries. */
export type Sent = {
  readonly deliveries: readonly Claimed[];
  readonly answer: PushAnswer | undefined;
};
/** Claims deliveries that are due, for some time. */
export async function claimPushes(
  context: TenantContext,
  lease: Lease,
  count: number,
): Promise<Claimed[]> {
  const claimed = await context.transaction((tx) => {
    lease.begin();
    releaseBatches(tx);
    return pushes.claimDue(tx, count, lease);
  });
  // A device that asked without fetching does not see the pass again under the tag it knows.
  const asked = claimed.filter(({ state }) => state === "asked").map(({ passId }) => passId);
  if (asked.length > 0) {
    // After the claim is committed: no tag is taken while deliveries are locked.
    await context.transaction(async (tx) => raiseTags(tx, [...new Set(asked)]));
  }
  return claimed;
}

/** Pushes claimed deliveries, one push for each device, and records what became of them. */
export async function pushClaimed(
  context: TenantContext,
  claimed: readonly Claimed[],
  lease: Pick<Lease, "token" | "isOver" | "signal">,
): Promise<void> {
  const sender = await senderOf(context);
  const { ended, due } = partEnded(claimed, "reason" in sender ? undefined : sender);
  const { sent, stop } =
    "reason" in sender
      ? { sent: [{ deliveries: due, answer: undefined }], stop: sender }
      : await sendAll(context, sender, due, lease.signal);
  if (lease.isOver) return;
  await recordSent(context, claimed, ended, { token: lease.token, stop, sent });
}

/** Records what became of claimed deliveries: those that ended without a push, and the others. */
export async function recordSent(
  context: TenantContext,
  claimed: readonly Claimed[],
  ended: readonly pushes.Recorded[],
  outcome: Outcome,
): Promise<void> {
  const now = context.clock.now();
  const { sent, token } = outcome;
  const results = [...ended, ...sent.flatMap((one) => resultsOf(context, one, now))];
  // Before the removals: if one of these fails, what Apple accepted is not pushed once more.
  await record(context, claimed, results, outcome);
  for (const one of sent.filter(isInvalid)) await removeInvalid(context, one, now, token);
}

/** Parts claimed deliveries into those that end without a push, and the others. */
export function partEnded(claimed: readonly Claimed[], sender: PushSender | undefined) {
  const ended: pushes.Recorded[] = [];
  const due: Claimed[] = [];
  for (const delivery of claimed) {
    const end = endWithoutPush(delivery, sender);
    if (end === undefined) due.push(delivery);
    else ended.push(end);
  }
  return { ended, due };
}

/** The end of a delivery that needs no push; undefined if it needs one. */
function endWithoutPush(
  delivery: Claimed,
  sender: PushSender | undefined,
): pushes.Recorded | undefined {
  const end = (state: "gone" | "failed", reason: string | null): pushes.Recorded => ({
    ...keyOf(delivery),
    state,
    status: null,
    reason,
    nextPushAt: undefined,
  });
  // One without its pass would stay due for ever.
  if (delivery.passType === null) return end("gone", "NoPass");
  if (delivery.pushToken === null) return end("gone", "NoToken");
  if (delivery.pushes >= PUSHES_MAX) return end("failed", delivery.lastReason);
  const isOwn = sender === undefined || sender.passTypeIdentifier === delivery.passTypeIdentifier;
  // The certificate of another pass type cannot reach a device of this one.
  return isOwn ? undefined : end("failed", "PassTypeIdentifierChanged");
}

function keyOf(delivery: pushes.DeliveryKey): pushes.DeliveryKey {
  const { passId, deviceId, passTypeIdentifier, revision } = delivery;
  return { passId, deviceId, passTypeIdentifier, revision };
}

async function sendAll(
  context: TenantContext,
  sender: PushSender,
  due: readonly Claimed[],
  signal: AbortSignal,
): Promise<{ sent: Sent[]; stop: Stop | undefined }> {
  const byToken = Map.groupBy(due, ({ pushToken }) => pushToken ?? "");
  const { answers, stop } = await sendPushes(context, sender, [...byToken.keys()], signal);
  const sent = [...byToken.values()].map((deliveries, at) => ({ deliveries, answer: answers[at] }));
  return { sent, stop };
}

/** Nothing for devices and tokens that are no longer valid: `removeInvalid` ends their deliveries. */
function resultsOf(
  context: TenantContext,
  { deliveries, answer }: Sent,
  now: Date,
): pushes.Recorded[] {
  if (answer === undefined) {
    const untried = { state: undefined, status: null, reason: null, nextPushAt: undefined };
    return deliveries.map((delivery) => ({ ...keyOf(delivery), ...untried }));
  }
  const verdict = judge(answer);
  const { status, reason = null } = answer;
  const later = (ms: number) => new Date(now.getTime() + ms);
  if (verdict === "gone" || verdict === "bad-token") return [];
  if (verdict === "fault") {
    const { tenantId } = context;
    context.log.error({ tenantId, status, reason }, "Apple's push service rejects our request");
  }
  return deliveries.map((delivery) => {
    const shared = { ...keyOf(delivery), status, reason };
    if (verdict === "accepted") {
      return { ...shared, state: "pushed", nextPushAt: later(fetchMs(delivery.pushes + 1)) };
    }
    if (verdict === "fault") return { ...shared, state: "failed", nextPushAt: undefined };
    return {
      ...shared,
      state: "queued",
      nextPushAt: later(laterMs(delivery.failures + 1, status)),
    };
  });
}

function isInvalid({ answer }: Sent): boolean {
  const verdict = answer && judge(answer);
  return verdict === "gone" || verdict === "bad-token";
}

/**
 * Removes a device or a token that Apple calls invalid, and with it what is open for it. One that
 * cannot be removed now holds up no other: its claim runs out, and Apple is asked again.
 */
async function removeInvalid(
  context: TenantContext,
  { deliveries, answer }: Sent,
  now: Date,
  claim: string,
): Promise<void> {
  if (answer === undefined) return;
  const { status, reason = null, goneAt = now } = answer;
  const isGone = judge(answer) === "gone";
  try {
    for (const device of deliveries.slice(0, 1)) {
      const pushToken = device.pushToken ?? "";
      if (isGone) {
        await removeGoneDevice(context, device, { pushToken, goneAt }, reason ?? "Unregistered");
      } else await forgetToken(context, device, pushToken, reason ?? "BadDeviceToken");
    }
    // Still claimed if the device came back meanwhile.
    const left = deliveries.map((delivery): pushes.Recorded => {
      const nextPushAt = new Date(now.getTime() + laterMs(delivery.failures + 1, status));
      return { ...keyOf(delivery), state: "queued", status, reason, nextPushAt };
    });
    await context.transaction((tx) => pushes.recordPushes(tx, claim, left));
  } catch (error) {
    if (isTenantNotFound(error)) throw error;
    const { log, tenantId } = context;
    log.error({ err: error, tenantId, status, reason }, "a device that is gone was not removed");
  }
}

type Outcome = {
  /** Of the claim. */
  readonly token: string;
  readonly stop: Stop | undefined;
  readonly sent: readonly Sent[];
};

async function record(
  context: TenantContext,
  claimed: readonly Claimed[],
  results: readonly pushes.Recorded[],
  { token, stop, sent }: Outcome,
): Promise<void> {
  const pause = await pushes.findPause(context);
  await context.transaction(async (tx) => {
    const failed = new Set((await pushes.recordPushes(tx, token, results)).map(nameOf));
    if (failed.size > 0) {
      const reasons = new Map(results.map((result) => [nameOf(result), result]));
      for (const delivery of claimed) {
        const end = failed.has(nameOf(delivery)) ? reasons.get(nameOf(delivery)) : undefined;
        if (end !== undefined) emitFailed(tx, delivery, end);
      }
    }
    const isAnswered = sent.some(({ answer }) => answer !== undefined);
    if (stop !== undefined) {
      const count = pause?.reason === stop.reason ? pause.count + 1 : 1;
      const until = new Date(tx.now.getTime() + pauseMs(stop.reason, count));
      await pushes.upsertPause(tx, { ...stop, since: tx.now, until, count });
    } else if (pause !== undefined && isAnswered) await pushes.deletePause(tx);
  });
  if (stop === undefined) return;
  const facts = { tenantId: context.tenantId, ...stop };
  if (stop.reason === "refused") {
    context.log.error(facts, "Apple refuses the certificate of a tenant: its pushes wait");
  } else context.log.warn(facts, "Apple's push service does not answer: pushes wait");
}

const nameOf = ({ passId, deviceId, passTypeIdentifier, revision }: pushes.DeliveryKey): string =>
  [passId, deviceId, passTypeIdentifier, revision].join(" ");

function emitFailed(tx: TenantTx, delivery: Claimed, { reason }: pushes.Recorded): void {
  if (delivery.passType === null) return;
  tx.emit(
    passUpdateFailed,
    {
      id: delivery.passId,
      passType: delivery.passType,
      wallet: "apple",
      device: shownDevice(tx.tenantId, delivery.deviceId),
      revision: delivery.revision,
      pushes: delivery.pushes,
      queuedAt: delivery.queuedAt.toISOString(),
      failedAt: tx.now.toISOString(),
      reason,
    },
    { subject: delivery.passId },
  );
}
