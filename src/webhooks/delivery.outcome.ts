import type { AttemptResult } from "./delivery.client.ts";
import { FAILING_DAYS_MAX, planRetry } from "./delivery.schedule.ts";
import type { ClaimedDelivery, DeliveryOutcome } from "./delivery.schema.ts";
import type { DisabledReason } from "./webhook.schema.ts";

const GONE = 410;
const DAY_MS = 86_400_000;

export type Decision = {
  /** Undefined when nothing was sent: it is as if nobody had tried. */
  readonly outcome: DeliveryOutcome | undefined;
  /** What it says of the endpoint; undefined when nothing. */
  readonly isWorking: boolean | undefined;
  readonly disable: DisabledReason | undefined;
};

/** What an attempt means for its delivery and its subscription. */
export function decide(
  delivery: ClaimedDelivery,
  result: AttemptResult,
  now: Date,
  random: number,
): Decision {
  const { attempt, isVoid, isHopeless, retryAfter, timedOut } = result;
  if (isVoid) return { outcome: undefined, isWorking: undefined, disable: undefined };
  const { status } = attempt;
  const end = (state: "delivered" | "failed") => outcomeOf(delivery, result, state, now);
  if (isHopeless) return { outcome: end("failed"), isWorking: undefined, disable: undefined };
  if (status !== null && status >= 200 && status < 300) {
    return { outcome: end("delivered"), isWorking: true, disable: undefined };
  }
  if (status === GONE) return { outcome: end("failed"), isWorking: false, disable: "gone" };
  const dueAt = planRetry({
    attempt: delivery.attemptCount + 1,
    now,
    random,
    retryAfter,
    status: status ?? undefined,
    timedOut,
  });
  return {
    outcome: dueAt === undefined ? end("failed") : outcomeOf(delivery, result, "pending", dueAt),
    isWorking: false,
    disable: hasFailedTooLong(delivery, now) ? "failing" : undefined,
  };
}

function hasFailedTooLong({ target }: ClaimedDelivery, now: Date): boolean {
  const { failingSince } = target;
  if (failingSince === null) return false;
  return now.getTime() - failingSince.getTime() >= FAILING_DAYS_MAX * DAY_MS;
}

function outcomeOf(
  { tenantId, webhookId, eventId, claim }: ClaimedDelivery,
  { attempt }: AttemptResult,
  state: DeliveryOutcome["state"],
  dueAt: Date,
): DeliveryOutcome {
  return { tenantId, webhookId, eventId, claim, state, dueAt, attempt };
}
