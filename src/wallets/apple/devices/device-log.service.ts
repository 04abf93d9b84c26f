import type { TenantContext } from "#kernel/context.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import { RecentMap } from "#kernel/recent-map.ts";
import { readLogLines } from "./device.limits.ts";

/** Anybody can send messages, so each tenant has few lines in a minute. */
const LINES_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const TENANTS_KNOWN = 1_000;

type Minute = { readonly number: number; lines: number };
const minutesOf = perRuntime(() => new RecentMap<Minute>(TENANTS_KNOWN));

/** Puts what devices complain about into our log. What exceeds the limit is dropped. */
export function logDeviceMessages(context: TenantContext, body: unknown): void {
  const { tenantId, runtime, clock, log } = context;
  const number = Math.floor(clock.now().getTime() / MINUTE_MS);
  const last = minutesOf(runtime).get(tenantId);
  const minute = last?.number === number ? last : { number, lines: 0 };
  minutesOf(runtime).set(tenantId, minute);
  for (const message of readLogLines(body)) {
    if (minute.lines >= LINES_PER_MINUTE) return;
    minute.lines += 1;
    log.warn({ tenantId, op: context.op, message }, "an Apple device reports a problem");
  }
}
