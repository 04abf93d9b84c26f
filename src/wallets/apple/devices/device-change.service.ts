import type { TenantContext } from "#kernel/context.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import { RecentMap } from "#kernel/recent-map.ts";
import { CHANGES_PER_HOUR_MAX } from "./device.limits.ts";

const HOUR_MS = 3_600_000;
const PASSES_KNOWN = 10_000;

type Hour = { readonly number: number; changes: number };
const hoursOf = perRuntime(() => new RecentMap<Hour>(PASSES_KNOWN));

/**
 * Counts a registration that writes rows which stay: a new device, or another token. Who holds a pass
 * could otherwise register and unregister for ever, and each time leave events and deliveries behind.
 * False if there were too many in this hour. Counted by each process for itself.
 */
export function takeChange(context: TenantContext, passId: string): boolean {
  const { tenantId, runtime, clock, log } = context;
  const name = `${tenantId} ${passId}`;
  const number = Math.floor(clock.now().getTime() / HOUR_MS);
  const last = hoursOf(runtime).get(name);
  const hour = last?.number === number ? last : { number, changes: 0 };
  hoursOf(runtime).set(name, hour);
  hour.changes += 1;
  if (hour.changes === CHANGES_PER_HOUR_MAX + 1) {
    const facts = { tenantId, passId, perHour: CHANGES_PER_HOUR_MAX };
    log.warn(facts, "devices register for a pass too often: more are refused until the next hour");
  }
  return hour.changes <= CHANGES_PER_HOUR_MAX;
}

/** When the next hour begins. */
export function secondsToNextHour({ clock }: Pick<TenantContext, "clock">): number {
  return Math.ceil((HOUR_MS - (clock.now().getTime() % HOUR_MS)) / 1_000);
}
