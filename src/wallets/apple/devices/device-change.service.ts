import type { TenantContext } from "#kernel/context.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import { ANSWERS_PER_HOUR_MAX, CHANGES_PER_HOUR_MAX } from "./device.limits.ts";
import { WindowCounter } from "./window-counter.ts";

const HOUR_MS = 3_600_000;
const PASSES_KNOWN = 10_000;
const counterOfHours = () => new WindowCounter(HOUR_MS, PASSES_KNOWN);

const changesIn = perRuntime(counterOfHours);
const answersIn = perRuntime(counterOfHours);

/**
 * Counts a registration that writes rows which stay: a new device, or another token. Who holds a pass
 * could otherwise register and unregister for ever, and each time leave events and deliveries behind.
 * False if there were too many in this hour. Counted by each process for itself.
 */
export function takeChange(context: TenantContext, passId: string): boolean {
  const words = "devices register for a pass too often: more are refused until the next hour";
  return take(context, passId, changesIn(context.runtime), CHANGES_PER_HOUR_MAX, words);
}

/**
 * Counts an answer to the questions of a pass. Each is answered by a signature, which costs far more
 * than a request, and everybody who has read the barcode may ask for one. False if there were too
 * many in this hour.
 */
export function takeAnswer(context: TenantContext, passId: string): boolean {
  const words =
    "the questions of a pass are answered too often: more is refused until the next hour";
  return take(context, passId, answersIn(context.runtime), ANSWERS_PER_HOUR_MAX, words);
}

function take(
  { tenantId, clock, log }: TenantContext,
  passId: string,
  counter: WindowCounter,
  perHour: number,
  words: string,
): boolean {
  const count = counter.count(`${tenantId} ${passId}`, clock);
  if (count === perHour + 1) log.warn({ tenantId, passId, perHour }, words);
  return count <= perHour;
}

/** When the next hour begins. */
export function secondsToNextHour({ runtime, clock }: TenantContext): number {
  return changesIn(runtime).secondsLeft(clock);
}
