import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { ProblemError } from "#kernel/errors.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { passUpdateFailed } from "../../deliveries/delivery.events.ts";
import { servicesOf } from "../../wallet.services.ts";
import { raiseTags } from "../deliveries/delivery.repository.ts";
import { shownDevice } from "../deliveries/delivery.schema.ts";
import { forgetToken, removeGoneDevice } from "../devices/device.service.ts";
import { appleSignerOf } from "../signing/apple-signer.ts";
import { judge, type PushAnswer } from "./push.answer.ts";
import { type PushSender, PushUnreachable, pushClientOf } from "./push.client.ts";
import * as pushes from "./push.repository.ts";
import {
  fetchMs,
  laterMs,
  type PauseReason,
  PUSH_KEPT_SECONDS,
  PUSHES_MAX,
  pauseMs,
} from "./push.schedule.ts";

/** What is not sent by then is left for the next batch. */
const BATCH_MS_MAX = 60_000;
/** The detail of a pause for which Apple was not asked. */
export const NO_SERVICE = "NoService";

type Claimed = pushes.ClaimedDelivery;
/** What became of the push to one device, which stands for all its claimed deliveries. */
type Sent = { readonly deliveries: readonly Claimed[]; readonly answer: PushAnswer | undefined };
/** Set when every other push of the tenant would fail as well. */
type Stop = {
  readonly reason: PauseReason;
  readonly detail: string;
  /** For the log, in words. */
  readonly problem?: string;
};

/** Claims deliveries that are due, for some time. */
export async function claimPushes(
  context: TenantContext,
  lease: Lease,
  count: number,
): Promise<Claimed[]> {
  const claimed = await context.transaction((tx) => {
    lease.begin();
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
  const now = context.clock.now();
  const results: pushes.Recorded[] = [];
  const due: Claimed[] = [];
  for (const delivery of claimed) {
    const end = endWithoutPush(delivery, "reason" in sender ? undefined : sender);
    if (end === undefined) due.push(delivery);
    else results.push(end);
  }
  const { sent, stop } =
    "reason" in sender
      ? { sent: [{ deliveries: due, answer: undefined }], stop: sender }
      : await sendAll(context, sender, due, lease.signal);
  if (lease.isOver) return;
  for (const one of sent) results.push(...resultsOf(context, one, now));
  // Before the removals: if one of these fails, what Apple accepted is not pushed once more.
  await record(context, claimed, results, { token: lease.token, stop, sent });
  for (const one of sent.filter(isInvalid)) await removeInvalid(context, one, now, lease.token);
}

/** The certificate that pushes; why nothing can be pushed, if there is none that works. */
async function senderOf(context: TenantContext): Promise<PushSender | Stop> {
  try {
    return await appleSignerOf(context);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status === 503) throw error;
    return { reason: "refused", detail: error.code, problem: error.message };
  }
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
  leaseSignal: AbortSignal,
): Promise<{ sent: Sent[]; stop: Stop | undefined }> {
  const { runtime, clock } = context;
  const service = await findService(context, sender);
  if (service === undefined) {
    const stop: Stop = { reason: "unreachable", detail: NO_SERVICE };
    return { sent: [{ deliveries: due, answer: undefined }], stop };
  }
  const client = pushClientOf(runtime);
  const expiresAt = new Date(clock.now().getTime() + PUSH_KEPT_SECONDS * 1_000);
  const stopping = new AbortController();
  const signal = AbortSignal.any([leaseSignal, stopping.signal, AbortSignal.timeout(BATCH_MS_MAX)]);
  let stop: Stop | undefined;
  const stopFor = (reason: PauseReason, detail: string) => {
    stop ??= { reason, detail };
    stopping.abort();
  };
  const byDevice = Map.groupBy(due, ({ pushToken }) => pushToken ?? "");
  const sent = await Promise.all(
    [...byDevice].map(async ([pushToken, deliveries]): Promise<Sent> => {
      try {
        const answer = await client.push(service, sender, { pushToken, expiresAt }, signal);
        if (judge(answer) !== "refused") return { deliveries, answer };
        stopFor("refused", answer.reason ?? `Status${answer.status}`);
      } catch (error) {
        if (error instanceof PushUnreachable) stopFor("unreachable", causeOf(error));
        else if (!signal.aborted) throw error;
      }
      return { deliveries, answer: undefined };
    }),
  );
  return { sent, stop };
}

/** Undefined if it cannot be found now, such as a simulator that does not start. */
async function findService(
  { runtime, log, tenantId }: TenantContext,
  { isDevelopment }: PushSender,
) {
  try {
    return await servicesOf(runtime).apple(isDevelopment);
  } catch (error) {
    log.warn({ err: error, tenantId }, "Apple's push service is not available");
    return undefined;
  }
}

/** A code such as ECONNREFUSED: messages of the network may name addresses. */
function causeOf({ cause }: PushUnreachable): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" ? code : "NoAnswer";
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
    const { log, tenantId } = context;
    log.error({ err: error, tenantId, status, reason }, "a device that is gone was not removed");
  }
}

type Outcome = {
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
    // A tenant that was erased meanwhile leaves no rows: the next one of its name would find them.
    const isThere = stop !== undefined && (await pushes.lockTenant(tx));
    const failed = new Set((await pushes.recordPushes(tx, token, results)).map(nameOf));
    if (failed.size > 0) {
      const reasons = new Map(results.map((result) => [nameOf(result), result]));
      for (const delivery of claimed) {
        const end = failed.has(nameOf(delivery)) ? reasons.get(nameOf(delivery)) : undefined;
        if (end !== undefined) emitFailed(tx, delivery, end);
      }
    }
    const isAnswered = sent.some(({ answer }) => answer !== undefined);
    if (isThere) {
      const count = pause?.reason === stop.reason ? pause.count + 1 : 1;
      const until = new Date(tx.now.getTime() + pauseMs(stop.reason, count));
      await pushes.upsertPause(tx, { ...stop, since: tx.now, until, count });
    } else if (stop === undefined && pause !== undefined && isAnswered)
      await pushes.deletePause(tx);
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
