import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { TenantContext } from "#kernel/context.ts";
import { holding } from "#kernel/db/holding.ts";
import type { WalletTeller } from "#src/passes/public.ts";
import {
  claimDue,
  findPause,
  listNewest,
  type NewestDelivery,
  type Pause,
} from "./push.repository.ts";
import { pushClaimed } from "./push.service.ts";
import { NO_SERVICE } from "./push-send.service.ts";

/** Longer than a caller waits; if this process dies, a worker takes over after it. */
const CLAIM_SECONDS = 30;
const CLAIMED_MAX = 1_000;
/** For deliveries that a worker took first, or is about to take: nobody sees its claim until it commits. */
const LOOK_AGAIN_MS = 25;

type Told = Awaited<ReturnType<WalletTeller["tellNow"]>>;

/** Pushes to the devices of these passes before the caller is answered, instead of leaving it to a worker. */
export const appleTeller: WalletTeller = {
  wallet: "apple",
  async tellNow(context, passIds, signal) {
    // The change is not committed yet, so it is left to a worker: nobody waits for Apple meanwhile.
    if (holding.getStore()?.isHolding === true) return new Map();
    for (;;) {
      // When the time of a pause is over, this push finds out whether Apple is back.
      const mayPush = !signal.aborted && !isHeld(context, await findPause(context));
      if (mayPush) await pushNow(context, passIds, signal);
      const [newest, pause] = [await listNewest(context, passIds), await findPause(context)];
      const isOpen = !isHeld(context, pause);
      const waits = newest.flatMap(({ isClaimed, dueInMs }) =>
        isClaimed ? [0] : isOpen && dueInMs !== null ? [dueInMs] : [],
      );
      if (signal.aborted || waits.length === 0) return statesOf(newest, pause);
      const waitMs = Math.max(LOOK_AGAIN_MS, Math.min(...waits));
      // The caller has to be answered at the deadline, also while a device may not be pushed to yet.
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  },
};

const isHeld = ({ clock }: TenantContext, pause: Pause | undefined): boolean =>
  pause !== undefined && pause.until > clock.now();

async function pushNow(
  context: TenantContext,
  passIds: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const lease = { token: randomUUID(), seconds: CLAIM_SECONDS };
  const claimed = await context.transaction((tx) => claimDue(tx, CLAIMED_MAX, lease, passIds));
  if (claimed.length === 0) return;
  // What is not sent when the signal comes is recorded as untried, and a worker sends it.
  await pushClaimed(context, claimed, { token: lease.token, isOver: false, signal });
}

function statesOf(newest: readonly NewestDelivery[], pause: Pause | undefined): Told {
  const byPass = Map.groupBy(newest, ({ passId }) => passId);
  return new Map([...byPass].map(([passId, deliveries]) => [passId, stateOf(deliveries, pause)]));
}

const isLost = ({ state }: NewestDelivery): boolean => state === "gone" || state === "untold";

function stateOf(deliveries: readonly NewestDelivery[], pause: Pause | undefined) {
  if (deliveries.every(isLost)) {
    const isGone = deliveries.some(({ state }) => state === "gone");
    const problem = isGone
      ? "Apple no longer knows the device."
      : "The device cannot be reached until it registers again.";
    return { state: "failed", problem } as const;
  }
  const failed = deliveries.find(({ state }) => state === "failed");
  if (failed !== undefined) {
    return { state: "failed", problem: `Apple answered: ${failed.lastReason ?? "no"}.` } as const;
  }
  const waiting = deliveries.find(({ state }) => state === "queued");
  if (waiting === undefined) return { state: "sent" } as const;
  if (pause !== undefined) return { state: "queued", problem: problemOf(pause) } as const;
  const { lastReason } = waiting;
  return lastReason === null
    ? ({ state: "queued" } as const)
    : ({ state: "queued", problem: `Apple answered: ${lastReason}. It is tried again.` } as const);
}

function problemOf({ reason, detail }: Pause): string {
  if (detail === NO_SERVICE) {
    return "No push service is set up for certificates of the development authority. Pushes wait.";
  }
  return reason === "refused"
    ? `Apple does not accept the certificate: ${detail}. Pushes wait, and are tried again.`
    : `Apple does not answer: ${detail}. Pushes wait, and are tried again.`;
}
