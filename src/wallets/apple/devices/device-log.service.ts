import type { TenantContext } from "#kernel/context.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import { readLogLines } from "./device.limits.ts";
import { WindowCounter } from "./window-counter.ts";

/** Anybody can send messages, so each tenant has few lines in a minute. */
const LINES_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const TENANTS_KNOWN = 1_000;

const linesIn = perRuntime(() => new WindowCounter(MINUTE_MS, TENANTS_KNOWN));

/** Puts what devices complain about into our log. What exceeds the limit is dropped. */
export function logDeviceMessages(context: TenantContext, body: unknown): void {
  const { tenantId, runtime, clock, log } = context;
  for (const message of readLogLines(body)) {
    if (linesIn(runtime).count(tenantId, clock) > LINES_PER_MINUTE) return;
    log.warn({ tenantId, op: context.op, message }, "an Apple device reports a problem");
  }
}
