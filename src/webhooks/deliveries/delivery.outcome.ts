import type { DisabledReason } from "../webhook.schema.ts";
import type { AttemptResult } from "./delivery.client.ts";
import { planRetry } from "./delivery.schedule.ts";
import type { ClaimedDelivery, DeliveryOutcome } from "./delivery.schema.ts";

const GONE = 410;

export type Decision = {
  /** Undefined if nothing was sent: the attempt counts as not made. */
  readonly outcome: DeliveryOutcome | undefined;
  /** Whether the endpoint works; undefined if the attempt does not show it. */
  readonly isWorking: boolean | undefined;
  readonly disable: DisabledReason | undefined;
};

const NOTHING: Decision = { outcome: undefined, isWorking: undefined, disable: undefined };

/** Decides what a finished attempt means for its delivery and its subscription. */
export function decide(
  delivery: ClaimedDelivery,
  result: AttemptResult,
  endedAt: number,
  random: number,
): Decision {
  const { attempt, isVoid, isHopeless, retryAfter, timedOut } = result;
  if (isVoid) return NOTHING;
  const { status } = attempt;
  const end = (state: DeliveryOutcome["state"], retryAt?: number) =>
    outcomeOf(delivery, result, state, retryAt);
  if (isHopeless) return { ...NOTHING, outcome: end("failed") };
  if (status !== null && status >= 200 && status < 300) {
    return { outcome: end("delivered"), isWorking: true, disable: undefined };
  }
  if (status === GONE) return { outcome: end("failed"), isWorking: false, disable: "gone" };
  const { clockMs, isFailingForLong } = delivery.target;
  const waitMs = planRetry({
    attempt: delivery.roundAttempts + 1,
    now: new Date(clockMs + endedAt),
    random,
    retryAfter,
    status: status ?? undefined,
    timedOut,
  });
  return {
    outcome: waitMs === undefined ? end("failed") : end("retrying", endedAt + waitMs),
    isWorking: false,
    disable: isFailingForLong ? "failing" : undefined,
  };
}

function outcomeOf(
  { tenantId, webhookId, eventId, claim }: ClaimedDelivery,
  { attempt }: AttemptResult,
  state: DeliveryOutcome["state"],
  retryAt: number | undefined,
): DeliveryOutcome {
  return { tenantId, webhookId, eventId, claim, state, retryAt, attempt };
}
